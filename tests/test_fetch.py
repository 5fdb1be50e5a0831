"""Downloads against a server of our own that misbehaves on request; nothing here needs a network."""

import re
import socket
import ssl
import threading
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from motiongraph.errors import MotionError
from motiongraph.fetch import Fetched, Server, fetch_all, fetch_cmu, fetch_index
from motiongraph.formats.descriptions import description_of, label_of
from motiongraph.formats.load import check_capture
from motiongraph.progress import Cancelled

ASF = b"# skeleton\n" * 40
AMC = bytes(range(256)) * 1000  # 256,000 bytes, no two neighbouring blocks of which could be exchanged unseen


class Site(ThreadingHTTPServer):
    """Serves `files` by path; `faults` are played in order, one a request of that path, before it behaves."""

    daemon_threads = True

    def __init__(self):
        self.files = {"/16/16.asf": ASF} | {f"/16/16_{n:02d}.amc": AMC for n in (1, 2, 4)}
        self.faults = {}
        self.log = []
        self.listing = self.ranges = self.lengths = self.index = True
        self.version = '"first"'
        super().__init__(("127.0.0.1", 0), Handler)

    @property
    def base(self):
        return f"http://127.0.0.1:{self.server_address[1]}"

    def asked(self, path):
        """The Range headers of the requests for `path`, in order."""
        return [bytes_range for asked, bytes_range in self.log if asked == path]


INDEX = """<pre>
Subject #16\t(walks)
16_01\tamc\tmpg\tavi\tjump
16_02\tamc\tmpg\tavi\tRunForward
17_01\tamc\tmpg\tavi\twalk
"""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.0"

    def log_message(self, *words):
        pass

    def do_GET(self):
        site, path = self.server, self.path
        site.log.append((path, self.headers.get("Range")))
        fault = site.faults[path].pop(0) if site.faults.get(path) else None
        if isinstance(fault, int):
            return self.send_error(fault)
        if path == "/16/" and site.listing:
            rows = "".join(f'<a href="{p[4:]}">{p[4:]}</a> 2004-01-01\n' for p in site.files)
            return self.answer(200, f"<html><h1>Index of /subjects/16</h1>{rows}</html>".encode(), {}, "text/html")
        if path.startswith("/search.php?"):
            return self.answer(200, INDEX.encode(), {}, "text/html") if site.index else self.send_error(404)
        if path not in site.files:
            return self.send_error(404)
        body, status, extra = site.files[path], 200, {"ETag": site.version} if site.version else {}
        wanted = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        if wanted and site.ranges and self.headers.get("If-Range") in (None, site.version):
            start = int(wanted[1])
            if start >= len(body):
                return self.send_error(416)
            extra["Content-Range"] = f"bytes {start}-{len(body) - 1}/{len(body)}"
            body, status = body[start:], 206
        return self.answer(status, body, extra, "text/plain", fault)

    def answer(self, status, body, extra, kind, fault=None):
        self.send_response(status)
        self.send_header("Content-Type", "text/html" if fault == "portal" else kind)
        if self.server.lengths:
            self.send_header("Content-Length", str(len(body) + (10 if fault == "long" else 0)))
        for key, value in extra.items():
            self.send_header(key, value)
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if fault == "cut" else body)


@pytest.fixture
def site():
    with Site() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def fetch(site, tmp_path):
    """fetch(trials...) of subject 16 from the site, into a folder that it returns the files of."""

    def run(*trials, **options):
        return fetch_cmu(16, trials, tmp_path / "16", base=site.base, pause=0.01, **options)

    run.folder = tmp_path / "16"
    run.names = lambda: sorted(p.name for p in run.folder.iterdir())
    return run


def test_a_trial_and_its_skeleton(site, fetch):
    result = fetch(2)
    assert result == Fetched(fetch.folder, (fetch.folder / "16.asf", fetch.folder / "16_02.amc"), ())
    assert (fetch.folder / "16.asf").read_bytes() == ASF
    assert (fetch.folder / "16_02.amc").read_bytes() == AMC
    assert fetch.names() == ["16.asf", "16_02.amc"]


def test_what_is_there_is_kept_and_not_asked_for(site, fetch):
    fetch(2)
    (fetch.folder / "16_02.amc").write_bytes(b"mine")
    site.log.clear()
    result = fetch(2)
    assert not site.log
    assert result.new == ()
    assert len(result.kept) == 2
    assert (fetch.folder / "16_02.amc").read_bytes() == b"mine"


@pytest.mark.parametrize("listing", [True, False])
def test_without_trials_all_there_are(site, fetch, listing):
    """From the listing of the folder; without one, by asking on past gaps."""
    site.listing = listing
    fetch()
    assert fetch.names() == ["16.asf", "16_01.amc", "16_02.amc", "16_04.amc"]
    if listing:
        assert site.asked("/16/16_03.amc") == []


def test_single_digit_subjects_are_padded(site, tmp_path):
    site.files = {"/05/05.asf": ASF, "/05/05_01.amc": AMC}
    fetch_cmu(5, [1], tmp_path, base=site.base + "/")
    assert (tmp_path / "05_01.amc").read_bytes() == AMC


def test_default_folder_and_address_from_the_environment(site, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MOTIONGRAPH_CMU_URL", site.base)
    fetch_cmu(16, [1])
    assert (tmp_path / "cmu/16/16_01.amc").read_bytes() == AMC


def test_cut_off_connection_goes_on_where_it_stopped(site, fetch):
    site.faults["/16/16_02.amc"] = ["cut", "cut"]
    fetch(2)
    assert site.asked("/16/16_02.amc") == [None, "bytes=128000-", "bytes=192000-"]
    assert (fetch.folder / "16_02.amc").read_bytes() == AMC
    assert fetch.names() == ["16.asf", "16_02.amc"]


def test_a_later_run_goes_on_with_the_part(site, fetch):
    site.faults["/16/16_02.amc"] = ["cut"]
    with pytest.raises(MotionError, match="1 attempts: 128000 of 256000 bytes came"):
        fetch(2, attempts=1)
    assert fetch.names() == ["16.asf", "16_02.amc.part", "16_02.amc.part.tag"]
    fetch(2)
    assert site.asked("/16/16_02.amc") == [None, "bytes=128000-"]
    assert (fetch.folder / "16_02.amc").read_bytes() == AMC


def test_a_part_of_a_file_that_changed_is_thrown_away(site, fetch):
    site.faults["/16/16_02.amc"] = ["cut"]
    with pytest.raises(MotionError):
        fetch(2, attempts=1)
    site.version, site.files["/16/16_02.amc"] = '"second"', AMC[::-1]
    fetch(2)
    assert (fetch.folder / "16_02.amc").read_bytes() == AMC[::-1]


@pytest.mark.parametrize("version", [None, 'W/"weak"'])
def test_without_a_version_to_ask_for_it_starts_over(site, fetch, version):
    site.version = version
    site.faults["/16/16_02.amc"] = ["cut"]
    fetch(2)
    assert site.asked("/16/16_02.amc") == [None, None]
    assert (fetch.folder / "16_02.amc").read_bytes() == AMC


def test_server_without_ranges_starts_over(site, fetch):
    site.ranges = False
    site.faults["/16/16_02.amc"] = ["cut"]
    fetch(2)
    assert site.asked("/16/16_02.amc") == [None, "bytes=128000-"]
    assert (fetch.folder / "16_02.amc").read_bytes() == AMC


def test_a_part_longer_than_the_file_is_thrown_away(site, fetch):
    fetch.folder.mkdir()
    (fetch.folder / "16_02.amc.part").write_bytes(AMC * 2)
    (fetch.folder / "16_02.amc.part.tag").write_text('"first"')
    fetch(2)
    assert (fetch.folder / "16_02.amc").read_bytes() == AMC
    assert fetch.names() == ["16.asf", "16_02.amc"]


def test_passing_trouble_is_waited_out(site, fetch):
    site.faults["/16/16_02.amc"] = [500, 503, 429]
    fetch(2)
    assert len(site.asked("/16/16_02.amc")) == 4
    assert (fetch.folder / "16_02.amc").read_bytes() == AMC


def test_lasting_trouble_is_told(site, fetch):
    site.faults["/16/16_02.amc"] = [500] * 9
    with pytest.raises(MotionError, match=r"16_02.amc could not be fetched in 3 attempts: the server answers 500"):
        fetch(2, attempts=3)
    assert fetch.names() == ["16.asf"]


def test_wrong_length_never_becomes_a_file(site, fetch):
    site.faults["/16/16_02.amc"] = ["long"] * 9
    with pytest.raises(MotionError, match="256000 of 256010 bytes came"):
        fetch(2, attempts=1)
    assert not (fetch.folder / "16_02.amc").exists()


def test_unknown_length_is_refused(site, fetch):
    site.lengths = False
    with pytest.raises(MotionError, match="does not say how long it is"):
        fetch(2)
    assert not fetch.folder.exists()


def test_a_log_in_page_is_not_motion(site, fetch):
    site.faults["/16/16_02.amc"] = ["portal"]
    with pytest.raises(MotionError, match="web page instead of motion capture"):
        fetch(2)
    assert fetch.names() == ["16.asf"]


def test_missing_trials_are_named_after_the_others_came(site, fetch):
    with pytest.raises(MotionError, match=r"there is no 16_03, 16_99 at http://.*/16/ \(3 new files in "):
        fetch(3, 1, 99, 4)
    assert fetch.names() == ["16.asf", "16_01.amc", "16_04.amc"]


def test_missing_subject(site, tmp_path):
    with pytest.raises(MotionError, match=r"there is no subject 99 at http://127"):
        fetch_cmu(99, [1], tmp_path, base=site.base)


def test_forbidden_is_not_tried_again(site, fetch):
    site.faults["/16/16_02.amc"] = [403]
    with pytest.raises(MotionError, match="the server answers 403"):
        fetch(2)
    assert len(site.asked("/16/16_02.amc")) == 1


def test_nobody_listens(tmp_path):
    with socket.socket() as reserved:  # bound but not listening: connections are refused
        reserved.bind(("127.0.0.1", 0))
        base = f"http://127.0.0.1:{reserved.getsockname()[1]}"
        with pytest.raises(MotionError, match=rf"{base} cannot be reached: Connection refused"):
            fetch_cmu(16, [1], tmp_path, base=base)


def test_no_network(tmp_path, monkeypatch):
    def nowhere(*arguments, **options):
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")

    monkeypatch.setattr(socket, "getaddrinfo", nowhere)
    with pytest.raises(MotionError, match=r"mocap.cs.cmu.edu/subjects cannot be reached: .* is there a network\?"):
        fetch_cmu(16, [1], tmp_path, base="http://mocap.cs.cmu.edu/subjects")


def test_silent_server_times_out(tmp_path):
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        base = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(MotionError, match="2 attempts: no answer in time"):
            fetch_cmu(16, [1], tmp_path, base=base, attempts=2, pause=0.01, timeout=0.05)


@pytest.mark.parametrize("base", ["mocap", "http://[", "gopher://x"])
def test_an_address_that_is_none(tmp_path, base):
    with pytest.raises(MotionError, match=re.escape(base)):
        fetch_cmu(16, [1], tmp_path, base=base)


def test_a_folder_that_cannot_be_made(site, tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(MotionError, match="cannot be written: "):
        fetch_cmu(16, [1], tmp_path / "file" / "16", base=site.base)


def test_progress_never_runs_back_over_a_whole_fetch(site, fetch):
    seen = []
    fetch(1, 2, progress=lambda done, total, what="": seen.append((done / total, what)))
    shares = [share for share, _ in seen]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert any(what.startswith("16_02.amc 0.1 of 0.3 MB") for _, what in seen)


def test_cancelling_keeps_the_part_for_later(site, fetch):
    def progress(done, total, what=""):
        if what.startswith("16_02.amc 0.1"):
            raise Cancelled

    with pytest.raises(Cancelled):
        fetch(2, progress=progress)
    assert "16_02.amc" not in fetch.names()
    fetch(2)
    assert site.asked("/16/16_02.amc")[1].startswith("bytes=")
    assert (fetch.folder / "16_02.amc").read_bytes() == AMC


def test_the_pauses_grow(site, tmp_path, monkeypatch):
    """Time as the server sees it: 1, 2, 4 units of pause between four attempts."""
    clock = [0.0]
    asked = []
    monkeypatch.setattr("motiongraph.fetch.time.monotonic", lambda: clock[0])
    monkeypatch.setattr("motiongraph.fetch.time.sleep", lambda seconds: clock.__setitem__(0, clock[0] + seconds))
    server = Server(site.base, attempts=4, pause=1.0)
    monkeypatch.setattr(server, "_open", lambda *a, _open=server._open: asked.append(clock[0]) or _open(*a))
    site.faults["/16/16.asf"] = [500] * 3
    server.download("16/16.asf", tmp_path / "16.asf")
    assert asked == pytest.approx([0, 1, 3, 7])


@pytest.mark.parametrize(
    ("headers", "says"),
    [
        ({"Content-Length": "99999999999"}, "is too large"),
        ({"Content-Length": "0"}, "is empty"),
        ({"Content-Length": "\u00b2"}, "does not say how long it is"),
        ({"Content-Length": "9" * 5000}, "does not say how long it is"),
        ({"Content-Length": "5", "Content-Encoding": "gzip"}, "comes compressed"),
        ({"Location": "ftp://127.0.0.1/16.asf"}, "not allowed|unknown url type|cannot be"),
        ({"Location": "file:///etc/passwd"}, "not allowed|unknown url type|cannot be"),
    ],
)
def test_answers_that_are_refused(tmp_path, headers, says):
    class Odd(BaseHTTPRequestHandler):
        def log_message(self, *words):
            pass

        def do_GET(self):
            self.send_response(302 if "Location" in headers else 200)
            for key, value in headers.items():
                self.send_header(key, value)
            self.end_headers()
            self.wfile.write(b"hello")

    with ThreadingHTTPServer(("127.0.0.1", 0), Odd) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        server = Server(f"http://127.0.0.1:{site.server_address[1]}", attempts=1, pause=0.01, timeout=5)
        with pytest.raises(MotionError, match=says):
            server.download("16.asf", tmp_path / "16.asf")
        site.shutdown()
    assert not (tmp_path / "16.asf").exists()


def test_a_site_without_https_is_asked_without_and_that_is_said(site, tmp_path):
    with pytest.warns(UserWarning, match="unencrypted"):
        fetched = fetch_cmu(16, [1], tmp_path, base=site.base.replace("http:", "https:"))
    assert len(fetched.new) == 2


def test_a_wrong_certificate_is_not_passed_over(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise urllib.error.URLError(ssl.SSLCertVerificationError(1, "certificate verify failed"))

    monkeypatch.setattr(urllib.request.OpenerDirector, "open", refuse)
    with pytest.raises(MotionError, match=r"https://mocap.* cannot be reached: certificate verify failed"):
        fetch_cmu(16, [1], tmp_path)


def test_what_is_no_motion_never_gets_its_name(site, fetch):
    data = Path(__file__).parent / "data"
    site.files |= {
        "/16/16.asf": (data / "simple.asf").read_bytes(),
        "/16/16_01.amc": (data / "simple.amc").read_bytes(),
    }
    fetch(1, check=check_capture)
    with pytest.raises(MotionError, match=r"/16/16_02\.amc was thrown away: .*16_02\.amc:"):
        fetch(2, check=check_capture)  # bytes of all kinds
    assert fetch.names() == ["16.asf", "16_01.amc"]


def test_all_subjects_and_what_is_said_of_them(site, tmp_path):
    site.files |= {"/17/17.asf": ASF, "/17/17_01.amc": AMC}
    found = fetch_all(tmp_path, base=site.base)
    assert [(len(one.new), len(one.kept)) for one in found] == [(4, 0), (2, 0)]
    assert description_of(tmp_path / "16" / "16_02.amc") == "RunForward"
    assert [label_of(tmp_path / "16" / f"16_0{n}.amc") for n in (1, 2, 4)] == ["jump", "run", None]
    again = fetch_all(tmp_path, base=site.base)  # as after it was cut off
    assert [(len(one.new), len(one.kept)) for one in again] == [(0, 4), (0, 2)]


def test_without_an_index_the_subjects_are_counted(site, tmp_path):
    site.index = False
    assert not fetch_index(tmp_path, base=site.base)
    assert not (tmp_path / "index.txt").exists()
    assert [one.folder.name for one in fetch_all(tmp_path, base=site.base)] == ["16"]
