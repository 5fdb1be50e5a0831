"""The renderer: what is seen where, what is uploaded when, what is given back, and pictures as they should be."""

from dataclasses import replace

import golden
import numpy as np
import pytest
from bodies import person
from pyglm import glm
from seeing import project

from motiongraph import rotations as rot
from motiongraph.errors import MotionError
from motiongraph.model import mesh as meshes
from motiongraph.model.kinematics import transforms
from motiongraph.viewer.camera import Camera
from motiongraph.viewer.draw import frame as f
from motiongraph.viewer.draw import layers
from motiongraph.viewer.draw.characters import look_of
from motiongraph.viewer.draw.frame import CLAY, GOLD, SAGE, SLATE
from motiongraph.viewer.offscreen import offscreen
from motiongraph.viewer.pace import Pace

SIZE = (320, 240)
RECT = (0, 0, *SIZE)


@pytest.fixture(scope="module")
def context():
    with offscreen() as context:
        yield context


@pytest.fixture(scope="module")
def renderer(context):
    from motiongraph.viewer.draw.renderer import Renderer

    renderer = Renderer()
    yield renderer
    renderer.release()


@pytest.fixture
def picture(renderer):
    """picture(scene, camera) draws it and gives the pixels (h, w, 3)."""

    def draw(scene, camera, rect=RECT):
        renderer.draw([(scene, camera.view(rect))], SIZE, None)
        return renderer.read_pixels()

    return draw


def striding(x=0.0, z=0.0, swing=0.5):
    """A person in mid-stride, arms down, standing on the floor at x, z: look, positions, orientations."""
    skeleton = person()
    rotations = np.tile(rot.IDENTITY, (len(skeleton), 1))
    turns = {"lthigh": -swing, "rthigh": 0.8 * swing, "rshin": 0.5 * swing, "lforearm": -0.3, "rforearm": -0.3}
    for name, angle in turns.items():
        rotations[skeleton.index(name)] = rot.about("X", angle)
    rotations[skeleton.index("larm")] = rot.multiply(rot.about("X", swing), rot.about("Z", -1.4))
    rotations[skeleton.index("rarm")] = rot.multiply(rot.about("X", -swing), rot.about("Z", 1.4))
    positions, orientations = transforms(skeleton, np.array([x, 0.0, z]), rotations)
    positions[:, 1] += 0.03 - positions[:, 1].min()
    return look_of(skeleton), positions, orientations


def character(rgb, **where):
    look, positions, orientations = striding(**where)
    batch = look.bones(1, "skin")
    look.fill_bones(batch, positions, orientations, (*rgb, 1.0))
    return batch


def camera(**fields):
    return Camera(**{"target": [0.0, 0.85, 0.0], "distance": 4.4, **fields})


# Pictures


def test_picture_of_a_character(picture, context):
    golden.check("character", picture(f.SceneFrame([character(CLAY)]), camera()), context)


def test_picture_at_night_on_a_grid(picture, context):
    scene = f.SceneFrame([character(SLATE)], floor=f.Floor(style="grid"), backdrop=f.NIGHT)
    golden.check("night", picture(scene, camera(yaw=-30.0)), context)


def test_picture_of_all_shapes(picture, context):
    pyramid = meshes.Mesh([[-1, 0, 1], [1, 0, 1], [0, 1, 0]], np.tile([0, 0.707, 0.707], (3, 1)), [[0, 1, 2]])
    way = np.linspace(0.0, 1.0, 40)
    way = np.stack([-1.6 + 3.2 * way, np.full(40, 0.004), 0.7 + 0.2 * np.sin(9 * way)], axis=1)
    cloud = np.random.default_rng(0).normal(size=(80, 3)) * 0.12 + [1.5, 0.9, -0.6]
    look, positions, orientations = striding(x=-1.1, z=-0.8)
    boxes, joints = look.bones(1, "boxes"), look.joints(1)
    look.fill_bones(boxes, positions, orientations, (*SLATE, 1))
    look.fill_joints(joints, positions + np.array([1.4, 0.0, 0.0]), (*GOLD, 1))
    batches = [
        boxes,
        joints,
        f.solids("box", [(-0.9, 0.15, 0.3)], 0.3, (*CLAY, 1)),
        f.solids("cylinder", [(-0.3, 0.2, 0.3)], (0.3, 0.4, 0.3), (*SAGE, 1)),
        f.solids("plane", [(0.3, 0.3, 0.3)], 0.4, (*GOLD, 1), rot.about("X", 0.7)),
        f.solids(pyramid, [(0.9, 0.0, 0.3)], 0.25, (*SLATE, 1)),
        f.spheres([(1.5, 0.2, 0.3)], 0.2, (*CLAY, 1)),
        f.polyline(way, (0.1, 0.1, 0.1, 0.6), width=0.04, flat=True),
        f.polyline(way + np.array([0.0, 0.0, 0.3]), (0.8, 0.2, 0.2, 0.9), width=2.0),
        f.Points(f.spheres(cloud, 0.012, (0.8, 0.1, 0.1, 0.9)).rows),
        f.marks([(-0.6, 0.004, 0.9)], 0.12, (0.1, 0.6, 0.4, 0.9), hollow=0.7),
        f.marks([(0.6, 0.004, 0.6)], 0.12, (0.1, 0.6, 0.4, 0.9)),
    ]
    view = camera(yaw=12.0, pitch=20.0, distance=4.6, target=[0.1, 0.5, 0.0])
    golden.check("shapes", picture(f.SceneFrame(batches), view), context)


def test_picture_of_a_flow(picture, context):
    poses = [striding(z=0.45 * i, swing=swing) for i, swing in enumerate((0.5, 0.1, -0.4, -0.1, 0.5))]
    look = poses[0][0]
    batches = layers.flow(look, np.array([p[1] for p in poses]), np.array([p[2] for p in poses]), CLAY)
    golden.check("flow", picture(f.SceneFrame(batches), camera(yaw=80.0, target=[0.0, 0.85, 0.9])), context)


@pytest.fixture(scope="module")
def quick(context):
    """The renderer of a window whose scene the processor draws."""
    from motiongraph.viewer.draw.renderer import Renderer

    renderer = Renderer.of_quality("fast", 4)
    yield renderer
    renderer.release()


@pytest.mark.parametrize(("name", "moves"), [("still", False), ("moving", True)])
def test_pictures_where_the_processor_draws(quick, context, name, moves):
    detail = Pace(quick=True).detail(moves, False, 10.0)
    quick.draw([(f.SceneFrame([character(CLAY)]), camera().view(RECT))], SIZE, None, detail)
    golden.check(name, quick.read_pixels(), context)


def test_fewer_pixels_give_the_same_picture_less_finely(quick, context):
    """Enlarged smoothly, in the right place, both by Mesa's copy and as graphics cards do it."""
    from motiongraph.viewer.draw import targets

    views = [(f.SceneFrame([character(CLAY)]), camera().view((40, 30, 200, 180)))]
    pictures = []
    for renderer in (quick._targets._context, replace(context, renderer="a card")):
        quick._targets._context = renderer
        for resolution in (1.0, 0.67):
            quick.draw(views, SIZE, None, targets.Detail(1, resolution))
            pictures.append(quick.read_pixels())
    quick._targets._context = context
    fine, coarse, fine_card, coarse_card = pictures
    assert golden.difference(fine, fine_card)[0] < 0.5
    assert golden.difference(coarse, coarse_card)[0] < 0.5
    assert 0.3 < golden.difference(fine, coarse)[0] < 3.0
    outside = np.ones(fine.shape[:2], bool)
    outside[30:210, 40:240] = False
    for picture in pictures:
        assert picture[outside].max() == 0
        assert picture[30:210, 40:240].min() > 10


def test_picture_of_three_views(renderer, context):
    day, night = f.SceneFrame([character(CLAY)]), f.SceneFrame([character(SAGE)], backdrop=f.NIGHT)
    top = camera(distance=6.0)
    top.show("top")
    views = [(day, camera().view((0, 0, 160, 240))), (day, top.view((160, 0, 160, 120)))]
    renderer.draw([*views, (night, camera(yaw=-60.0).view((160, 120, 160, 120)))], SIZE, None)
    golden.check("views", renderer.read_pixels(), context)


def test_a_wrong_picture_is_noticed(picture, context):
    right = picture(f.SceneFrame([character(CLAY)]), camera())
    wrong = picture(f.SceneFrame([character(CLAY)], light=f.Light(shadows=False)), camera())
    _, far = golden.difference(right, wrong)
    assert far > golden.FEW


# What is seen


def at(pixels, camera, point):
    """The colour where a point of the world appears."""
    ((x, y),), _ = project(camera.view(RECT), [point])
    return pixels[int(y), int(x)].astype(int)


def test_things_are_where_the_camera_says(picture):
    view = camera(yaw=25.0, pitch=20.0)
    places = [(0.9, 0.5, 0.4), (-0.8, 1.3, 0.0)]
    red, blue = [f.spheres([p], 0.12, (*c, 1)) for p, c in zip(places, [(0.9, 0.1, 0.1), (0.1, 0.1, 0.9)])]
    pixels = picture(f.SceneFrame([red, blue]), view)
    r, b = at(pixels, view, places[0]), at(pixels, view, places[1])
    assert r[0] > 2 * r[2]
    assert b[2] > 2 * b[0]


def test_a_shadow_falls_away_from_the_sun(picture):
    view = camera(pitch=50.0)
    ball = f.spheres([(0.0, 1.0, 0.0)], 0.2, (1, 1, 1, 1))
    scene = f.SceneFrame([ball], light=f.Light(towards=(1.0, 1.0, 0.0)))
    pixels = picture(scene, view)
    shade, light = at(pixels, view, (-1.0, 0.0, 0.0)), at(pixels, view, (1.0, 0.0, 0.0))
    assert shade.sum() < 0.8 * light.sum()
    scene.light = f.Light(towards=(1.0, 1.0, 0.0), shadows=False)
    pixels = picture(scene, view)
    assert abs(at(pixels, view, (-1.0, 0.0, 0.0)).sum() - shade.sum()) > 30


def test_the_floor_darkens_where_a_body_comes_close(picture):
    view = camera(pitch=35.0, target=[0.0, 0.2, 0.0], distance=2.0)
    ball = f.spheres([(0.0, 0.1, 0.0)], 0.1, (1, 1, 1, 1), shadow=False)
    near = (0.11, 0.0, 0.03)
    dark = at(picture(f.SceneFrame([ball]), view), view, near)
    light = at(picture(f.SceneFrame([ball], floor=f.Floor(contact=0.0)), view), view, near)
    assert dark.sum() < 0.9 * light.sum()


def test_no_shadow_on_what_only_the_sun_sees(picture):
    """A ball in full light has no specks of its own shadow (acne) on it."""
    view = camera(target=[0.0, 1.0, 0.0], yaw=0.0, pitch=45.0, distance=2.0)
    scene = f.SceneFrame(
        [f.spheres([(0.0, 1.0, 0.0)], 0.5, (0.5, 0.5, 0.5, 1))], light=f.Light(towards=(0.0, 1.0, 1.0))
    )
    lit = picture(scene, view).astype(int)
    scene.light = f.Light(towards=(0.0, 1.0, 1.0), shadows=False)
    assert np.abs(lit - picture(scene, view))[60:180, 100:220].max() <= 2


def test_one_sees_through_ghosts_but_not_into_them(picture):
    view = camera(yaw=0.0, pitch=0.0)
    wall = f.solids("box", [(0.0, 1.0, -1.0)], (3.0, 3.0, 0.1), (0.9, 0.1, 0.1, 1))
    rows = np.zeros((3, 12), np.float32)
    rows[:, [1, 5]], rows[:, [3, 7]] = (0.6, 1.2), 0.2
    rows[1, [3, 7]] = 0.1  # within the first
    rows[:, 8:] = 0.1, 0.1, 0.9, 0.5
    one = f.Capsules(rows[:1].copy(), groups=np.array([0, 1]), shadow=False)
    same_with_bones = f.Capsules(rows, groups=np.array([0, 3]), shadow=False)  # and one exactly where another is
    floor = f.Floor(contact=0.0)  # three bodies do darken the floor more than one
    alone = picture(f.SceneFrame([wall, one], floor=floor), view)
    colour = at(alone, view, (0.0, 0.9, 0.0))
    assert colour[0] > 60
    assert colour[2] > 60
    both = picture(f.SceneFrame([wall, same_with_bones], floor=floor), view)
    assert np.abs(alone.astype(int) - both).max() <= 1


def test_nearer_ghosts_cover_farther_ones_in_any_order(picture):
    rows = np.zeros((2, 12), np.float32)
    rows[:, [1, 5]], rows[:, [3, 7]], rows[:, 11] = (0.6, 1.2), 0.2, 0.6
    rows[0, [2, 6]], rows[0, 8], rows[1, 10] = 0.8, 1.0, 1.0
    groups = np.array([0, 1, 2])
    view = camera(yaw=0.0, pitch=0.0)
    first = picture(f.SceneFrame([f.Capsules(rows, groups=groups)]), view)
    second = picture(f.SceneFrame([f.Capsules(rows[::-1].copy(), groups=groups)]), view)
    assert np.abs(first.astype(int) - second).max() <= 1
    red, _, blue = at(first, view, (0.0, 0.9, 0.8))
    assert red > blue


def test_ghosts_that_moved_are_sorted_anew(picture):
    rows = np.zeros((2, 12), np.float32)
    rows[:, :3], rows[:, 3], rows[:, 4:7], rows[:, 7] = [0.0, 0.4, 0.0], 0.3, [0.0, 1.2, 0.0], 0.3
    rows[:, 8:] = [[0.9, 0.2, 0.2, 0.5], [0.2, 0.2, 0.9, 0.5]]
    rows[1, [2, 6]] = -1.0
    batch = f.Capsules(rows, groups=np.array([0, 1, 2]), shadow=False)
    view, scene = camera(yaw=0.0), f.SceneFrame([batch])
    before = picture(scene, view)
    rows[:, [2, 6]] = rows[::-1, [2, 6]]
    batch.touch()
    after = picture(scene, view)
    fresh = picture(f.SceneFrame([f.Capsules(rows.copy(), groups=batch.groups, shadow=False)]), view)
    np.testing.assert_array_equal(after, fresh)
    assert np.abs(after.astype(int) - before).max() > 40


def test_lines_with_a_gap(picture):
    view = camera(yaw=0.0, pitch=0.0)
    points = np.array([[-1, 1, 0], [-0.4, 1, 0], [0.4, 1, 0], [1, 1, 0]])
    line = f.polyline(points, (0, 0, 0, 1), joined=[0, 1, 0, 1], width=4)
    pixels = picture(f.SceneFrame([line]), view)
    assert at(pixels, view, (-0.7, 1, 0)).max() < 60
    assert at(pixels, view, (0.7, 1, 0)).max() < 60
    assert at(pixels, view, (0.0, 1, 0)).min() > 100


def test_a_line_that_passes_the_eye_and_points_twice(picture):
    view = camera()
    behind = f.polyline([[0, 1, 0], [0, 1, 0], [0, 1, 30], [9, 1, 50]], (0, 0, 0, 1), width=3)
    assert picture(f.SceneFrame([behind]), view).min() < 100


def test_from_below_the_floor_is_seen_through(picture):
    view = camera(floor=None, pitch=-30.0)
    ball = f.spheres([(0.0, 0.8, 0.0)], 0.2, (0.9, 0.1, 0.1, 1))
    r, g, _ = at(picture(f.SceneFrame([ball]), view), view, (0.0, 0.8, 0.0))
    assert r > 1.5 * g


@pytest.mark.parametrize("rows", [0, 1])
def test_few_rows(picture, rows):
    kinds = [(f.Capsules, 12), (f.Spheres, 8), (f.Solids, 16), (f.Lines, 8), (f.Points, 8), (f.Marks, 8)]
    batches = [kind(np.zeros((rows, columns), np.float32)) for kind, columns in kinds]
    picture(f.SceneFrame(batches), camera())


def test_an_unknown_solid(picture):
    with pytest.raises(MotionError, match="no solid is called 'cone'; there are box, cylinder, plane"):
        picture(f.SceneFrame([f.solids("cone", [(0, 0, 0)], 1.0, (1, 1, 1, 1))]), camera())


# What it costs


def test_only_what_was_touched_is_uploaded(renderer, monkeypatch):
    from motiongraph.viewer.gl.buffers import Rows

    sent = []
    upload = Rows.upload
    monkeypatch.setattr(Rows, "upload", lambda self, rows, count: (sent.append(count), upload(self, rows, count)))
    still, moving = f.spheres(np.zeros((3, 3)), 0.1, (1, 1, 1, 1)), f.spheres(np.zeros((5, 3)), 0.1, (1, 1, 1, 1))
    scene, view = f.SceneFrame([still, moving]), camera().view(RECT)
    for _ in range(3):
        moving.touch()
        renderer.draw([(scene, view)], SIZE, None)
    assert sorted(sent) == [3, 5, 5, 5]


def test_a_changed_batch_is_seen(picture):
    view = camera(pitch=10.0)
    ball = f.spheres([(0.0, 1.0, 0.0)], 0.2, (0.9, 0.1, 0.1, 1))
    scene = f.SceneFrame([ball])
    assert at(picture(scene, view), view, (0.0, 1.0, 0.0))[0] > 100
    ball.rows[:, 4:7] = 0.0
    ball.touch()
    assert at(picture(scene, view), view, (0.0, 1.0, 0.0))[0] < 100
    ball.count = 0
    assert at(picture(scene, view), view, (0.0, 1.0, 0.0))[0] > 100


def test_nothing_piles_up(context):
    from motiongraph.viewer.draw.renderer import Renderer
    from motiongraph.viewer.gl.context import live

    before = live()
    renderer = Renderer(shadow_resolution=64)
    view, counts = camera().view((0, 0, 32, 32)), []
    for i in range(300):
        mesh = meshes.box() if i % 10 == 0 else "box"
        batches = [f.spheres([(0, 1, 0)], 0.1, (1, 1, 1, 1)), f.solids(mesh, [(0, 1, 0)], 0.1, (1, 1, 1, 1))]
        size = (32, 32) if i % 7 else (48, 32)
        renderer.draw([(f.SceneFrame(batches), view)], size, None)
        renderer.read_pixels()
        counts.append(sum(live().values()))
    assert max(counts[200:]) <= max(counts[100:200]) + 2
    renderer.release()
    assert live() == before
    with pytest.raises(RuntimeError, match="released"):
        renderer.draw([(f.SceneFrame([]), view)], (32, 32), None)
    assert live() == before


def test_no_room_to_draw_in(renderer):
    scene = f.SceneFrame([character(CLAY)])
    renderer.draw([(scene, camera().view((0, 0, 0, 0)))], (0, 0), None)
    renderer.draw([(scene, camera().view((0, 0, 0, 50)))], SIZE, None)
    assert renderer.read_pixels().max() == 0


def test_shadow_edges_do_not_crawl():
    """Moving casters by less than a texel leaves the map where it is, and by more moves it by whole texels."""
    from motiongraph.viewer.draw.shadow import fit
    from motiongraph.viewer.draw.uniforms import light_view

    turn = light_view(glm.normalize(glm.dvec3(0.4, 0.8, 0.45)))
    low, high = glm.dvec3(-0.4, 0.0, -0.4), glm.dvec3(0.4, 1.8, 0.4)
    first, texel, _ = fit(turn, low, high, 1024)
    first = np.array(first)
    for step in np.linspace(0.0, 0.5, 40):
        aside = glm.dvec3(step, 0.0, 0.0)
        matrix, same, _ = fit(turn, low + aside, high + aside, 1024)
        assert same == texel
        moved = (np.array(matrix)[:2, 3] - first[:2, 3]) * 512
        np.testing.assert_allclose(moved, np.round(moved), atol=1e-6)
    inside = first @ np.array([*low, 1.0]), first @ np.array([*high, 1.0])
    assert np.abs(inside).max() <= 1.0 + 1e-9


def test_a_shadow_fits_what_casts_it():
    from motiongraph.viewer.draw.shadow import fit
    from motiongraph.viewer.draw.uniforms import light_view

    rng = np.random.default_rng(0)
    for _ in range(50):
        towards = rng.normal(size=3) * [1, 0.3, 1] + [0, 1, 0]
        turn = light_view(glm.normalize(glm.dvec3(towards)))
        np.testing.assert_allclose(np.array(turn) @ np.array(turn).T, np.eye(3), atol=1e-9)
        low = rng.normal(size=3) * 5
        high = low + rng.random(3) * 8
        matrix = np.array(fit(turn, glm.dvec3(low), glm.dvec3(high), 2048)[0])
        corners = np.array(
            [[x, y, z, 1.0] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])]
        )
        seen = corners @ matrix.T
        assert np.abs(seen[:, :3]).max() < 1.0 + 1e-3
        nearer = np.array([*(corners[0, :3] + np.array(turn)[2]), 1.0]) @ matrix.T
        assert nearer[2] < seen[0, 2]  # depth grows away from the sun
