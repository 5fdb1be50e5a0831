"""Files dragged from another program and dropped on a window, as the window system has it: XDND, protocol version 5
(https://www.freedesktop.org/wiki/Specifications/XDND), spoken with libX11 alone."""

import ctypes
import time
from ctypes import POINTER, Structure, Union, byref, c_char_p, c_int, c_long, c_ulong, c_void_p
from pathlib import Path

_CLIENT_MESSAGE, _SELECTION_REQUEST, _SELECTION_NOTIFY = 33, 30, 31
_HEAD = [("type", c_int), ("serial", c_ulong), ("send_event", c_int), ("display", c_void_p)]


def _event(*names):
    """A kind of event: the head that all have, and these numbers behind it."""
    return type("Event", (Structure,), {"_fields_": [*_HEAD, *((name, c_ulong) for name in names)]})


_Request = _event("owner", "requestor", "selection", "target", "property", "time")
_Notify = _event("requestor", "selection", "target", "property", "time")


class _Message(Structure):
    _fields_ = [*_HEAD, ("window", c_ulong), ("message", c_ulong), ("format", c_int), ("data", c_long * 5)]


class _Event(Union):
    _fields_ = [
        ("type", c_int),
        ("message", _Message),
        ("request", _Request),
        ("notify", _Notify),
        ("pad", c_long * 24),
    ]


class Drag:
    """A program with something in its hand."""

    def __init__(self, screen: str):
        self.x = x = ctypes.CDLL("libX11.so.6")
        x.XOpenDisplay.restype, x.XOpenDisplay.argtypes = c_void_p, [c_char_p]
        for name in ("XDefaultRootWindow", "XCreateSimpleWindow", "XInternAtom"):
            getattr(x, name).restype = c_ulong
        x.XSendEvent.argtypes = [c_void_p, c_ulong, c_int, c_long, POINTER(_Event)]
        x.XChangeProperty.argtypes = [c_void_p, c_ulong, c_ulong, c_ulong, c_int, c_int, c_char_p, c_int]
        self.display = c_void_p(x.XOpenDisplay(screen.encode()))
        root = c_ulong(x.XDefaultRootWindow(self.display))
        self.window = x.XCreateSimpleWindow(self.display, root, 0, 0, 1, 1, 0, c_ulong(0), c_ulong(0))

    def atom(self, name: str) -> int:
        return self.x.XInternAtom(self.display, name.encode(), 0)

    def drop(self, window: int, paths, where: tuple[int, int], patience: float = 30.0) -> None:
        """Let go of files over a place of the screen, in a window, and hand them over when it asks for them."""
        kind, selection = self.atom("text/uri-list"), self.atom("XdndSelection")
        self.x.XSetSelectionOwner(self.display, c_ulong(selection), c_ulong(self.window), c_ulong(0))
        self._tell(window, "XdndEnter", 5 << 24, kind)
        self._tell(window, "XdndPosition", 0, where[0] << 16 | where[1], 0, self.atom("XdndActionCopy"))
        self._heard("XdndStatus", patience)
        self._tell(window, "XdndDrop", 0, 0)
        text = "".join(f"{Path(path).as_uri()}\r\n" for path in paths).encode()
        self._heard("XdndFinished", patience, text)

    def _tell(self, window: int, what: str, *numbers) -> None:
        event = _Event(message=_Message(_CLIENT_MESSAGE, window=window, message=self.atom(what), format=32))
        event.message.data[: 1 + len(numbers)] = [self.window, *numbers]
        self.x.XSendEvent(self.display, window, 0, 0, byref(event))
        self.x.XFlush(self.display)

    def _heard(self, what: str, patience: float, text: bytes = b"") -> None:
        """Wait for a message, answering who asks for the text."""
        event, wanted, end = _Event(), self.atom(what), time.monotonic() + patience
        while time.monotonic() < end:
            if not self.x.XPending(self.display):
                time.sleep(0.01)
                continue
            self.x.XNextEvent(self.display, byref(event))
            if event.type == _SELECTION_REQUEST:
                self._answer(event.request, text)
            elif event.type == _CLIENT_MESSAGE and event.message.message == wanted:
                return
        raise AssertionError(f"the window never answered with {what}")

    def _answer(self, asked, text: bytes) -> None:
        replaced, property = 0, asked.property
        self.x.XChangeProperty(self.display, asked.requestor, property, asked.target, 8, replaced, text, len(text))
        answer = _Event(
            notify=_Notify(
                _SELECTION_NOTIFY,
                requestor=asked.requestor,
                selection=asked.selection,
                target=asked.target,
                property=property,
                time=asked.time,
            )
        )
        self.x.XSendEvent(self.display, asked.requestor, 0, 0, byref(answer))
        self.x.XFlush(self.display)

    def close(self) -> None:
        self.x.XCloseDisplay(self.display)
