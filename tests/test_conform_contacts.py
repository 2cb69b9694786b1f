"""Contacts that are not unique are judged by geometry: right ones pass in any form, wrong ones do not."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from corten.conformance.contacts import excuse, match, row_order
from corten.conformance.geometry import Shape, separation
from corten.model.enums import GeomType

PLANE, SPHERE, CAPSULE, ELLIPSOID = GeomType.PLANE, GeomType.SPHERE, GeomType.CAPSULE, GeomType.ELLIPSOID
CYLINDER, BOX, MESH = GeomType.CYLINDER, GeomType.BOX, GeomType.MESH
EYE = np.eye(3)
Z = np.array([0.0, 0.0, 1.0])


def shape(kind: int, size, pos=(0, 0, 0), mat=EYE, vertices=None) -> Shape:
    return Shape(kind, np.array(size, float), np.array(pos, float), mat, vertices)


def scene(kinds, sizes, places) -> tuple[SimpleNamespace, dict]:
    """Stand-ins for a model and the geom placements of its data."""
    m = SimpleNamespace(geom_type=np.array(kinds), geom_size=np.array(sizes, float))
    placed = {"geom_xpos": np.array(places, float), "geom_xmat": np.tile(EYE.ravel(), (len(kinds), 1))}
    return m, placed


def data(placed: dict, contacts) -> SimpleNamespace:
    """Data with contacts given as (geoms, dist, pos, normal)."""
    frames = []
    for *_, normal in contacts:
        n = np.array(normal, float)
        side = np.cross(n, [1.0, 0, 0] if abs(n[0]) < 0.9 else [0, 1.0, 0])
        side /= np.linalg.norm(side)
        frames.append(np.concatenate([n, side, np.cross(n, side)]))
    contact = SimpleNamespace(
        geom=np.array([c[0] for c in contacts]).reshape(-1, 2),
        dist=np.array([c[1] for c in contacts], float),
        pos=np.array([c[2] for c in contacts], float).reshape(-1, 3),
        frame=np.array(frames).reshape(-1, 9),
        includemargin=np.zeros(len(contacts)),
        exclude=np.array([c[1] >= 0 for c in contacts], int),
    )
    return SimpleNamespace(ncon=len(contacts), contact=contact, **placed)


@pytest.fixture
def stacked() -> tuple[SimpleNamespace, dict, list]:
    """A unit box resting 0.01 deep in another: four corners in contact."""
    m, placed = scene([BOX, BOX], [[1, 1, 1], [1, 1, 1]], [[0, 0, 0], [0, 0, 1.99]])
    corners = [((0, 1), -0.01, (x, y, 0.995), Z) for x in (-1, 1) for y in (-1, 1)]
    return m, placed, corners


def test_the_same_contacts_in_another_order_are_paired(stacked) -> None:
    m, placed, corners = stacked
    found = match(m, data(placed, corners), data(placed, corners[::-1]))
    assert found.unique and not found.wrong
    assert found.order.tolist() == [3, 2, 1, 0]


def test_other_points_of_the_same_face_are_right_but_not_unique(stacked) -> None:
    m, placed, corners = stacked
    inner = [((0, 1), -0.01, (0.5 * c[2][0], 0.5 * c[2][1], 0.995), Z) for c in corners]
    found = match(m, data(placed, corners), data(placed, inner))
    assert not found.wrong and not found.unique and found.order is None


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (((0, 1), -0.02, (0, 0, 0.995), Z), "deepest"),
        (((0, 1), -0.01, (0, 0, 0.995), (1, 0, 0)), "along the normal"),
        (((0, 1), -0.01, (0, 0, 1.3), Z), "contact point"),
    ],
)
def test_a_wrong_depth_normal_or_point_is_found(stacked, wrong, says: str) -> None:
    m, placed, corners = stacked
    found = match(m, data(placed, corners), data(placed, [wrong]))
    assert any(says in w for w in found.wrong)


def test_a_missing_pair_is_wrong_unless_it_only_grazes(stacked) -> None:
    m, placed, corners = stacked
    assert "0 contacts, not 4" in match(m, data(placed, corners), data(placed, [])).wrong[0]
    grazing = [((0, 1), -1e-8, (0, 0, 1), Z)]
    assert not match(m, data(placed, grazing), data(placed, [])).wrong


def test_contacts_of_the_reference_from_a_state_nearby_are_right_but_not_unique(stacked) -> None:
    m, placed, corners = stacked
    theirs, missing, sidewards = (data(placed, x) for x in (corners, [], [((0, 1), -1.99, (0, 0, 1), (1, 0, 0))]))
    for ours in missing, sidewards:
        found = match(m, theirs, ours)
        assert found.wrong and excuse(found, m, [theirs, theirs], ours).wrong == found.wrong
        excused = excuse(found, m, [theirs, ours], ours)
        assert not excused.wrong and not excused.unique and excused.order is None


def test_a_reference_that_is_too_deep_is_told_by_the_gap(stacked) -> None:
    """Along our normal the boxes are no deeper than we say; that the reference says more is its fault."""
    m, placed, corners = stacked
    deep = [((0, 1), -0.05, (0, 0, 0.995), (0.6, 0, 0.8))]
    assert not match(m, data(placed, deep), data(placed, corners)).wrong
    shallow = [((0, 1), -0.005, (0, 0, 0.995), Z)]
    assert "deepest" in match(m, data(placed, deep), data(placed, shallow)).wrong[0]


def test_an_overlap_that_the_reference_misses_is_told_by_a_common_point() -> None:
    m, placed = scene([CYLINDER, CYLINDER], [[0.2, 0.1, 0]] * 2, [[0, 0, 0], [0, 0, 0.01]])
    inside, outside = ([((0, 1), -0.19, point, Z)] for point in ((0, 0, 0.005), (0, 0, 0.105)))
    found = match(m, data(placed, []), data(placed, inside))
    assert not found.wrong and not found.unique
    assert match(m, data(placed, []), data(placed, outside)).wrong


def test_normals_across_two_axes_that_meet_are_all_right() -> None:
    """Capsules whose axes meet at their ends: every normal across both is as deep, and rounding picks one."""
    m, placed = scene([CAPSULE, CAPSULE], [[0.1, 0.2, 0]] * 2, [[0, 0, 0], [0, 0, 0.4]])
    one, other = ([((0, 1), -0.2, (0, 0, 0.2), n)] for n in ((1, 0, 0), (0, 1, 0)))
    found = match(m, data(placed, one), data(placed, other))
    assert not found.wrong and not found.unique
    tilted = [((0, 1), -0.2, (0, 0, 0.2), (0.6, 0, -0.8))]  # along this one they are deeper
    assert match(m, data(placed, one), data(placed, tilted)).unique
    assert match(m, data(placed, one), data(placed, one)).unique


def test_one_of_several_points_may_graze() -> None:
    m, placed = scene([PLANE, CYLINDER], [[0, 0, 1], [0.1, 0.2, 0]], [[0, 0, 0], [0, 0, 0.2]])
    two = [((0, 1), dist, (x, 0, 0), Z) for dist, x in ((-1e-13, 0.1), (0.0, -0.1))]
    found = match(m, data(placed, two), data(placed, two[:1]))
    assert not found.wrong and not found.unique
    moved = [((0, 1), -1e-13, (0.05, 0, 0), Z)]
    assert match(m, data(placed, two), data(placed, moved)).wrong


@pytest.mark.parametrize(
    ("kind", "size", "inside", "outside"),
    [
        (PLANE, [0, 0, 1], (5, 5, -0.01), (0, 0, 0.01)),
        (SPHERE, [1, 0, 0], (0.5, 0.5, 0.5), (0.6, 0.6, 0.6)),
        (CAPSULE, [0.5, 1, 0], (0, 0.3, 1.3), (0, 0.4, 1.4)),
        (ELLIPSOID, [1, 2, 3], (0.5, 1, 2), (0.6, 1.2, 2)),
        (CYLINDER, [0.5, 1, 0], (0.3, 0.3, 0.9), (0, 0.3, 1.1)),
        (BOX, [1, 2, 3], (0.9, -1.9, 2.9), (1.1, 0, 0)),
        (MESH, [0, 0, 0], (0.1, 0.1, 0.1), (0.4, 0.4, 0.4)),
    ],
)
def test_points_inside_and_outside(kind, size, inside, outside) -> None:
    turn = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1.0]])
    body = shape(kind, size, (1, 2, 3), turn, np.vstack([np.eye(3), np.zeros(3)]))
    assert body.holds(turn @ inside + body.pos) and not body.holds(turn @ outside + body.pos)


def test_a_contact_on_the_edge_of_pushing_is_not_unique() -> None:
    m, placed = scene([PLANE, SPHERE], [[0, 0, 1], [0.1, 0, 0]], [[0, 0, 0], [0, 0, 0.1]])
    pushes, touches = ([((0, 1), dist, (0, 0, 0), Z)] for dist in (-1e-17, 1e-17))
    found = match(m, data(placed, pushes), data(placed, touches))
    assert not found.wrong and not found.unique and found.order is None
    assert match(m, data(placed, pushes), data(placed, pushes)).order is not None


def test_primitive_pairs_must_have_the_same_number_of_contacts() -> None:
    m, placed = scene([PLANE, SPHERE], [[0, 0, 1], [0.1, 0, 0]], [[0, 0, 0], [0, 0, 0.09]])
    one = [((0, 1), -0.01, (0, 0, -0.005), Z)]
    assert match(m, data(placed, one), data(placed, one * 2)).wrong


def test_rows_follow_their_contacts() -> None:
    theirs = SimpleNamespace(nefc=5, efc_type=np.array([3, 6, 6, 6, 6]), efc_id=np.array([0, 0, 0, 1, 1]))
    ours = SimpleNamespace(nefc=5, efc_type=np.array([3, 6, 6, 6, 6]), efc_id=np.array([0, 0, 0, 1, 1]))
    assert row_order(theirs, ours, np.array([1, 0])).tolist() == [0, 3, 4, 1, 2]


@pytest.mark.parametrize(
    ("a", "b", "normal", "gap"),
    [
        (shape(SPHERE, [0.5, 0, 0]), shape(SPHERE, [0.25, 0, 0], (0, 0, 1)), Z, 0.25),
        (shape(PLANE, [0, 0, 1]), shape(BOX, [0.1, 0.1, 0.2], (3, 4, 0.1)), Z, -0.1),
        (shape(BOX, [1, 1, 1]), shape(CAPSULE, [0.1, 0.4, 0], (0, 0, 2)), Z, 0.5),
        (shape(BOX, [1, 1, 1]), shape(CYLINDER, [0.3, 0.4, 0], (2, 0, 0)), np.array([1.0, 0, 0]), 0.7),
        (shape(ELLIPSOID, [1, 2, 3]), shape(SPHERE, [1, 0, 0], (0, 0, 5)), Z, 1.0),
        (shape(MESH, [0, 0, 0], vertices=np.eye(3)), shape(SPHERE, [1, 0, 0], (0, 0, 5)), Z, 3.0),
    ],
)
def test_separation_of_simple_shapes(a: Shape, b: Shape, normal: np.ndarray, gap: float) -> None:
    assert separation(a, b, normal) == pytest.approx(gap)


def test_separation_is_largest_along_the_true_normal() -> None:
    rng = np.random.default_rng(0)
    a, b = shape(SPHERE, [0.5, 0, 0]), shape(SPHERE, [0.4, 0, 0], (1, 2, 2))
    true = np.array([1, 2, 2]) / 3
    others = rng.normal(size=(200, 3))
    others /= np.linalg.norm(others, axis=1, keepdims=True)
    assert separation(a, b, true) == pytest.approx(3 - 0.9)
    assert max(separation(a, b, n) for n in others) <= separation(a, b, true)
