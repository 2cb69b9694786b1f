"""Contacts of the two engines: paired one by one where they are the same, judged by geometry where they need not be."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from corten.model.enums import GeomType

from .compare import Difference
from .engines import read
from .geometry import CONVEX, Shape, separation

# Pairs of shapes (smaller type first) whose contact points have one closed form.
PLANE, SPHERE, CAPSULE, BOX = GeomType.PLANE, GeomType.SPHERE, GeomType.CAPSULE, GeomType.BOX
ELLIPSOID, CYLINDER = GeomType.ELLIPSOID, GeomType.CYLINDER
PRIMITIVE = frozenset(
    {(PLANE, k) for k in (SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX)}
    | {(SPHERE, k) for k in (SPHERE, CAPSULE, CYLINDER, BOX)}
    | {(CAPSULE, k) for k in (CAPSULE, BOX)}
)
# What is read of the data, besides the number of contacts.
READ = tuple(f"contact.{x}" for x in ("geom", "dist", "pos", "frame", "includemargin", "exclude"))
READ += ("geom_xpos", "geom_xmat")
EXACT = 1e-9
TOUCHING = 1e-6  # a pair this close to touching may be reported or not
DEPTH = 1e-6
ITERATIVE_DEPTH = 1e-3  # of the smaller shape
TURNED = 1e-3  # normals that differ by more are different answers, not one answer with an error


@dataclass(slots=True)
class Match:
    """How our contacts answer the reference's."""

    order: np.ndarray | None = None  # for each contact of the reference, ours; None where there is no such pairing
    unique: bool = True  # whether what follows (rows, forces) can be compared row by row
    faults: dict[tuple[int, int], list[str]] = field(default_factory=dict)  # of pairs: what nothing excuses

    @property
    def wrong(self) -> list[str]:
        """All faults."""
        return [fault for faults in self.faults.values() for fault in faults]

    def blame(self, pair: tuple[int, int], faults: list[str]) -> None:
        """Note faults of a pair, if there are any."""
        if faults:
            self.faults[pair] = faults


def pairs_of(d: Any) -> dict[tuple[int, int], list[int]]:
    """Indices of the contacts of each pair of geoms. The pair is in the reference's order, by type of geom."""
    pairs: dict[tuple[int, int], list[int]] = defaultdict(list)
    geoms = np.reshape(read(d, "contact.geom"), (-1, 2))[: int(d.ncon)]
    for i, (a, b) in enumerate(geoms):
        pairs[int(a), int(b)].append(i)
    return pairs


def match(m: Any, reference: Any, ours: Any) -> Match:
    """Pair the contacts. `m` is the reference's model; both data hold the same state."""
    theirs, mine = pairs_of(reference), pairs_of(ours)
    result = Match()
    order = np.full(int(reference.ncon), -1)
    for pair in sorted(theirs.keys() | mine.keys()):
        ref, got = theirs.get(pair, []), mine.get(pair, [])
        free = min(pair) >= 0 and _kinds(m, pair) not in PRIMITIVE
        assigned = _assign(reference, ours, ref, got, exact=free)
        if assigned is not None:
            order[ref] = assigned
            if not free and _several_normals(m, reference, ours, pair, ref, assigned):
                result.unique = False
        elif free:
            result.unique = False
            result.blame(pair, _judge(m, reference, ours, pair, ref, got))
        elif not _grazing(m, reference, ours, pair, ref, got):
            result.blame(pair, [f"geoms {pair}: {len(got)} contacts, not {len(ref)}"])
        else:
            result.unique = False
    if result.unique and not result.wrong and int(ours.ncon) == int(reference.ncon):
        result.unique = not _on_the_edge(reference, ours, order)
    if result.unique and not result.wrong and int(ours.ncon) == int(reference.ncon):
        result.order = order
    return result


def excuse(found: Match, m: Any, neighbours: Iterable[Any], ours: Any) -> Match:
    """Without the faults of pairs whose contacts are those that the reference finds from a state nearby.

    Of polytopes with parallel edges, as a box and the prisms of a height field, the last digit may decide at which face
    the reference's search for the least depth ends.
    """
    left = dict(found.faults)
    for d in neighbours:
        if not left:
            break
        faults = match(m, d, ours).faults
        left = {pair: wrong for pair, wrong in left.items() if pair in faults}
    if len(left) < len(found.faults):
        return Match(unique=False, faults=left)
    return found


def _on_the_edge(reference: Any, ours: Any, order: np.ndarray) -> bool:
    """Whether a contact pushes in one engine and not in the other, being just at the distance at which it begins."""
    theirs, mine = read(reference, "contact.exclude"), read(ours, "contact.exclude")
    if mine is None or not len(order):
        return False
    differ = np.asarray(theirs) != np.asarray(mine)[order]
    gap = np.asarray(read(reference, "contact.includemargin")) - np.asarray(read(reference, "contact.dist"))
    return bool(np.any(differ) and np.all(np.abs(gap[differ]) < TOUCHING))


def _kinds(m: Any, pair: tuple[int, int]) -> tuple[int, int]:
    a, b = sorted(int(m.geom_type[g]) for g in pair)
    return a, b


def _assign(reference: Any, ours: Any, ref: list[int], got: list[int], exact: bool) -> list[int] | None:
    """Our contact for each of the reference's contacts of one pair, the nearest each; None if the numbers differ.

    With `exact`, also None unless each is the same contact to `EXACT`.
    """
    if len(ref) != len(got):
        return None
    theirs, mine = _placements(reference), _placements(ours)
    unused, chosen = list(got), []
    for i in ref:
        gaps = [np.abs(mine[j] - theirs[i]).max() for j in unused]
        if exact and min(gaps) > EXACT * max(1.0, np.abs(theirs[i]).max()):
            return None
        # of contacts that coincide, the first: their forces can be shared in many ways, which depend on the order
        chosen.append(unused.pop(next(k for k, gap in enumerate(gaps) if gap <= min(gaps) + EXACT)))
    return chosen


def _placements(d: Any) -> np.ndarray:
    """Distance, position and frame of each contact in one row."""
    ncon = int(d.ncon)
    widths = {"dist": 1, "pos": 3, "frame": 9}
    parts = [np.asarray(read(d, f"contact.{n}"), float)[:ncon].reshape(ncon, w) for n, w in widths.items()]
    return np.hstack(parts)


def _several_normals(
    m: Any, reference: Any, ours: Any, pair: tuple[int, int], ref: list[int], got: list[int]
) -> bool:
    """Whether contacts are equally deep along different normals, of which ours is right.

    Where the centre or axis of a round shape meets that of the other there are many, and rounding decides.
    """
    a, b = (Shape.of(m, reference, g) for g in pair)
    if not {a.kind, b.kind} <= CONVEX:
        return False
    theirs, mine = _placements(reference)[ref], _placements(ours)[got]
    for (depth, *_), (dist, *_), normal, other in zip(theirs, mine, mine[:, 4:7], theirs[:, 4:7], strict=True):
        turned = np.abs(normal - other).max() > TURNED
        if turned and abs(dist - depth) < EXACT and separation(a, b, normal) > dist - EXACT:
            return True
    return False


def _grazing(m: Any, reference: Any, ours: Any, pair: tuple[int, int], ref: list[int], got: list[int]) -> bool:
    """Whether the contacts that one engine has and the other has not are just at the distance at which contacts of the
    pair begin, and the others are the same. That is the margin; but prisms of height fields are raised by the margin
    and contacts of these begin at zero."""
    d, more, other, fewer = (reference, ref, ours, got) if len(ref) > len(got) else (ours, got, reference, ref)
    if len(more) == len(fewer):
        return False
    extra, all_more, all_fewer = list(more), _placements(d), _placements(other)
    for i in fewer:
        gaps = [np.abs(all_more[k] - all_fewer[i]).max() for k in extra]
        if min(gaps) > EXACT * max(1.0, np.abs(all_fewer[i]).max()):
            return False
        extra.pop(int(np.argmin(gaps)))
    begin = np.asarray(read(d, "contact.includemargin"))[extra]
    if _kinds(m, pair)[0] == GeomType.HFIELD:
        begin = np.zeros(len(extra))
    return bool(np.all(np.abs(begin - np.asarray(read(d, "contact.dist"))[extra]) < TOUCHING))


def _judge(m: Any, reference: Any, ours: Any, pair: tuple[int, int], ref: list[int], got: list[int]) -> list[str]:
    """Faults of our contacts of a pair whose points are not unique.

    The distance is the largest gap along any normal. So where ours is larger than the reference's, and along our normal
    the gap is what we say, it is the reference that is wrong: its older method for convex shapes (`nativeccd` disabled)
    reports more than the least depth, and it finds nothing where centres coincide.
    """
    where = f"geoms {pair}"
    a, b = (Shape.of(m, reference, g) for g in pair)
    if not ref or not got:
        inside = got and all(a.holds(p) and b.holds(p) for p in np.asarray(read(ours, "contact.pos"))[got])
        if inside or _grazing(m, reference, ours, pair, ref, got):
            return []
        return [f"{where}: {len(got)} contacts, not {len(ref)}"]
    dist = np.asarray(read(ours, "contact.dist"), float)[got]
    frame = np.asarray(read(ours, "contact.frame"), float).reshape(-1, 3, 3)[got]
    depth = float(np.asarray(read(reference, "contact.dist"))[ref].min())
    allowed = DEPTH if (a.kind, b.kind) == (BOX, BOX) else max(DEPTH, ITERATIVE_DEPTH * min(a.radius(), b.radius()))
    wrong = []
    judged = a.kind in CONVEX | {PLANE} and b.kind in CONVEX
    gap = separation(a, b, frame[int(dist.argmin()), 0]) if judged else -np.inf
    if abs(dist.min() - depth) > allowed and not dist.min() - allowed < gap > depth:
        wrong.append(f"{where}: deepest at {dist.min():.6g}, not {depth:.6g}")
    if judged:
        # An iterative method's normal is a little off the best one; ours may be as far off as the reference's.
        deepest = ref[int(np.argmin(np.asarray(read(reference, "contact.dist"))[ref]))]
        their_normal = np.asarray(read(reference, "contact.frame"), float).reshape(-1, 3, 3)[deepest, 0]
        if gap < min(depth, separation(a, b, their_normal)) - allowed:
            wrong.append(f"{where}: along the normal the shapes are {gap:.6g} apart, not {depth:.6g}")
        wrong += _points_off(where, a, b, np.asarray(read(ours, "contact.pos"), float)[got], dist, frame, allowed)
    return wrong


def _points_off(where: str, a: Shape, b: Shape, pos: Any, dist: Any, frame: Any, allowed: float) -> list[str]:
    """Contact points that are not between the shapes: the point is half a distance outside (inside) both along n."""
    wrong = []
    for point, gap, axes in zip(pos, dist, frame, strict=True):
        normal, slack = axes[0], abs(gap) + allowed
        beyond_b = -b.support(-normal) - normal @ point  # how far b begins past the point
        beyond_a = normal @ point - a.support(normal) if a.kind != PLANE else a.mat[:, 2] @ (point - a.pos)
        if max(beyond_a, beyond_b) > slack:
            wrong.append(f"{where}: a contact point {max(beyond_a, beyond_b):.6g} from a shape at distance {gap:.6g}")
    return wrong


def row_order(reference: Any, ours: Any, contact_order: np.ndarray) -> np.ndarray:
    """For each constraint row of the reference, ours: the rows of a contact go where the contact goes."""
    nefc = int(reference.nefc)
    kind, owner = np.asarray(reference.efc_type)[:nefc], np.asarray(reference.efc_id)[:nefc]
    our_kind, our_owner = np.asarray(ours.efc_type)[:nefc], np.asarray(ours.efc_id)[:nefc]
    order = np.arange(nefc)
    for c, mine in enumerate(contact_order):
        rows = np.flatnonzero((kind >= FIRST_CONTACT_ROW) & (owner == c))
        our_rows = np.flatnonzero((our_kind >= FIRST_CONTACT_ROW) & (our_owner == mine))
        if len(rows) == len(our_rows):
            order[rows] = our_rows
    return order


FIRST_CONTACT_ROW = 5  # mjCNSTR_CONTACT_FRICTIONLESS; the contact types follow


def collision_difference(match_: Match, state: str) -> Difference:
    """The verdict on the set of contacts as one difference of the collision stage."""
    error = float("inf") if match_.wrong else 0.0
    return Difference("collision", "contact", state, error, 1.0, "; ".join(match_.wrong[:3]))
