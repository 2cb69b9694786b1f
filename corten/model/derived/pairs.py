"""Which geoms may touch: what the model alone decides of collision detection.

Two geoms may touch if their bodies are not welded together, are not parent and child (unless `filterparent` is off),
are not excluded, and their bit masks agree (contype of one with conaffinity of the other); explicit pairs may touch
whatever the masks and the tree say. A model with few such pairs has them all listed here, in the order in which
contacts are reported: by bodies, explicit pairs first, then by geoms, the simpler shape first. A model with many lists
its explicit pairs only; the others are found by sweeping units (`corten/physics/collision/sweep.py`): all geoms of a
body that moves are one, each geom that stands still is one; planes are listed apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from corten.kernel.record import Field
from corten.model.enums import DisableBit, GeomType

FIELDS = (
    Field("ncandidate", (), "size", "pairs of geoms that are listed", ours=True),
    Field("nsweepmove", (), "size", "bodies that move and are swept; none if all pairs are listed", ours=True),
    Field("nsweepstill", (), "size", "geoms that stand still and are swept against these bodies", ours=True),
    Field("nsweepplane", (), "size", "planes that are tried against all bodies that move", ours=True),
    Field("nsweepgeom", (), "size", "geoms that are swept", ours=True),
    Field("candidate_geom", ("ncandidate", 2), "int", "geoms of a listed pair, the simpler shape first", ours=True),
    Field("candidate_pair", ("ncandidate",), "int", "explicit pair that it is, or -1", ours=True),
    Field("candidate_family", ("ncandidate",), "byte", "whether its bodies are parent and child", ours=True),
    Field("unit_geom", ("nsweepgeom",), "int", "geoms of units: bodies that move, then what stands", ours=True),
    Field("unit_begin", ("nsweep",), "int", "where the geoms of a unit begin in this list", ours=True),
    Field("unit_end", ("nsweep",), "int", "one past where they end", ours=True),
    Field("sweep_plane", ("nsweepplane",), "int", "planes", ours=True),
    Field("geom_weld", ("ngeom",), "int", "body that carries the geom's body rigidly", ours=True),
    Field("geom_weldparent", ("ngeom",), "int", "the same of the parent of that body", ours=True),
    Field("body_exclude", ("nbody",), "byte", "whether contacts with some other body are excluded", ours=True),
    Field("body_pair", ("nbody",), "byte", "whether some geom of the body is in an explicit pair", ours=True),
)

MANY_PAIRS = 600  # listed pairs cost a bounding test each; from about here on sweeping is cheaper
MANY_GEOMS = 600  # so many geoms have many pairs, and counting them would take long

# Contacts that a pair of shapes makes at most, the simpler shape first, for the first allocation; of all others, one.
MOST_CONTACTS = np.ones((len(GeomType), len(GeomType)), int)
MOST_CONTACTS[GeomType.PLANE, GeomType.CAPSULE] = 2
MOST_CONTACTS[GeomType.PLANE, GeomType.CYLINDER] = 4
MOST_CONTACTS[GeomType.PLANE, GeomType.BOX] = 4
MOST_CONTACTS[GeomType.PLANE, GeomType.MESH] = 3
MOST_CONTACTS[GeomType.CAPSULE, GeomType.CAPSULE] = 2
MOST_CONTACTS[GeomType.CAPSULE, GeomType.BOX] = 2
MOST_CONTACTS[GeomType.BOX, GeomType.BOX] = 8
FIRST_CONTACTS = 100, 2  # room for contacts at first: so many, and so many for each geom
FIRST_NEAR = 64, 6  # the same for pairs that are near each other


def derive(sizes: Mapping[str, int], values: Mapping[str, Any]) -> tuple[dict[str, int], dict[str, np.ndarray]]:
    """The listed pairs, or what sweeping needs."""
    ngeom, body = sizes["ngeom"], np.asarray(values["geom_bodyid"])
    body_weld = np.asarray(values["body_weldid"])
    weld = body_weld[body]
    weld_parent = body_weld[np.asarray(values["body_parentid"])[weld]]
    kind = np.asarray(values["geom_type"])
    active = np.flatnonzero((np.asarray(values["geom_contype"]) != 0) | (np.asarray(values["geom_conaffinity"]) != 0))
    excluded = _bodies(values["exclude_signature"], sizes["nexclude"])
    paired = _bodies(values["pair_signature"], sizes["npair"])
    explicit = _ordered_by_kind(kind, np.asarray(values["pair_geom1"]), np.asarray(values["pair_geom2"]))

    listed = len(active) <= MANY_GEOMS
    if listed:
        automatic = _automatic_pairs(values, kind, weld, active, excluded, explicit)
        listed = len(automatic) + len(explicit) <= MANY_PAIRS
    if not listed:
        automatic = np.zeros((0, 2), np.int64)
    geoms, pair = _in_order(values, automatic, explicit, paired)
    family = _family(weld, weld_parent, geoms) & (pair < 0)

    swept = np.zeros(0, np.int64) if listed else active
    plane = swept[kind[swept] == GeomType.PLANE]
    solid = swept[kind[swept] != GeomType.PLANE]
    move, still = solid[weld[solid] != 0], solid[weld[solid] == 0]
    starts = np.append(np.flatnonzero(np.diff(body[move], prepend=-1)), len(move) + np.arange(len(still)))
    room = MOST_CONTACTS[kind[geoms[:, 0]], kind[geoms[:, 1]]].sum() if listed else np.inf
    counts = {
        "ncandidate": len(geoms),
        "nsweepmove": len(starts) - len(still),
        "nsweepstill": len(still),
        "nsweepplane": len(plane),
        "nsweepgeom": len(solid),
        "nsweep": len(starts),
        "nsweepbody": 0 if listed else sizes["nbody"],
        "nconcap": int(min(room, FIRST_CONTACTS[0] + FIRST_CONTACTS[1] * ngeom)),
        "nnearcap": 0 if listed else FIRST_NEAR[0] + FIRST_NEAR[1] * len(active),
    }
    return counts, {
        "candidate_geom": geoms,
        "candidate_pair": pair,
        "candidate_family": family,
        "unit_geom": np.concatenate([move, still]),
        "unit_begin": starts,
        "unit_end": np.append(starts[1:], len(solid)),
        "sweep_plane": plane,
        "geom_weld": weld,
        "geom_weldparent": weld_parent,
        "body_exclude": _any(sizes["nbody"], excluded),
        "body_pair": _any(sizes["nbody"], paired),
    }


def _bodies(signatures: Any, count: int) -> np.ndarray:
    """The two bodies of each signature: the smaller number in the upper half, the larger in the lower."""
    s = np.asarray(signatures, np.int64).reshape(count)
    return np.stack([s >> 16, s & 0xFFFF], axis=1)


def _any(nbody: int, pairs: np.ndarray) -> np.ndarray:
    """Which bodies are in some pair."""
    flags = np.zeros(nbody, np.uint8)
    flags[pairs.ravel()] = 1
    return flags


def _ordered_by_kind(kind: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Pairs of geoms, the simpler shape first; equal shapes stay as they are."""
    swap = kind[a] > kind[b]
    return np.stack([np.where(swap, b, a), np.where(swap, a, b)], axis=1)


def _family(weld: np.ndarray, weld_parent: np.ndarray, geoms: np.ndarray) -> np.ndarray:
    """Whether two geoms' bodies are parent and child, counting welded bodies as one; the world has no children."""
    a, b = geoms[:, 0], geoms[:, 1]
    moving = (weld[a] != 0) & (weld[b] != 0)
    return moving & ((weld[a] == weld_parent[b]) | (weld[b] == weld_parent[a]))


def _automatic_pairs(
    values: Mapping[str, Any],
    kind: np.ndarray,
    weld: np.ndarray,
    active: np.ndarray,
    excluded: np.ndarray,
    explicit: np.ndarray,
) -> np.ndarray:
    """Pairs of geoms that may touch without being declared."""
    contype, conaffinity = np.asarray(values["geom_contype"]), np.asarray(values["geom_conaffinity"])
    body = np.asarray(values["geom_bodyid"], np.int64)
    upper = np.triu_indices(len(active), 1)
    a, b = active[upper[0]], active[upper[1]]
    agree = ((contype[a] & conaffinity[b]) | (contype[b] & conaffinity[a])) != 0
    solid = (kind[a] > GeomType.HFIELD) | (kind[b] > GeomType.HFIELD)
    keep = agree & solid & (weld[a] != weld[b])
    keep &= ~np.isin((body[a] << 16) + body[b], (excluded[:, 0] << 16) + excluded[:, 1])
    declared = np.sort(explicit, axis=1)
    keep &= ~np.isin((a << 32) + b, (declared[:, 0].astype(np.int64) << 32) + declared[:, 1])
    return _ordered_by_kind(kind, a[keep], b[keep])


def _in_order(
    values: Mapping[str, Any], automatic: np.ndarray, explicit: np.ndarray, paired: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(geoms, explicit pair or -1) in the order in which contacts are reported."""
    body = np.asarray(values["geom_bodyid"])
    bodies = np.sort(body[automatic], axis=1)
    key = automatic
    if int(values["opt.disableflags"]) & DisableBit.MIDPHASE:
        swap = body[automatic[:, 0]] > body[automatic[:, 1]]
        key = np.where(swap[:, None], automatic[:, ::-1], automatic)
    geoms = np.concatenate([explicit, automatic])
    pair = np.concatenate([np.arange(len(explicit)), np.full(len(automatic), -1)])
    rank = np.concatenate([np.stack([np.arange(len(explicit))] * 2, axis=1), key])
    first = np.concatenate([paired, bodies])
    order = np.lexsort((rank[:, 1], rank[:, 0], pair < 0, first[:, 1], first[:, 0]))
    return geoms[order], pair[order]
