"""Scenes of convex shapes, and their support functions in NumPy to judge contacts by."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from contact_compare import Scene

import corten
from corten.model.enums import GeomType

SIZES = {"sphere": 1, "capsule": 2, "ellipsoid": 3, "cylinder": 2, "box": 3}
SHAPES = (*SIZES, "mesh", "brick", "sheet", "ball")
CLOSED = {("sphere", k) for k in ("sphere", "capsule", "cylinder", "box")} | {
    ("capsule", "capsule"),
    ("capsule", "box"),
    ("box", "box"),
}


def text(numbers: np.ndarray) -> str:
    return " ".join(f"{x:.9g}" for x in np.ravel(numbers))


def assets(rng: np.random.Generator, scale: float = 1.0) -> str:
    """Meshes: corners at random, a box, a box that is hardly thicker than a plane, a ball of many vertices."""
    corners = rng.normal(size=(24, 3))
    corners *= 0.2 / np.linalg.norm(corners, axis=1)[:, None]
    cube = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    ball = rng.normal(size=(300, 3))
    ball *= 0.2 / np.linalg.norm(ball, axis=1)[:, None]
    meshes = {"mesh": corners, "brick": cube * [0.2, 0.15, 0.1], "sheet": cube * [0.2, 0.15, 0.001], "ball": ball}
    return "".join(f'<mesh name="{name}" vertex="{text(scale * v)}"/>' for name, v in meshes.items())


def geom(kind: str, rng: np.random.Generator, attributes: str = "", scale: float = 1.0) -> str:
    """A geom of random size."""
    if kind == "plane":
        return f'<geom type="plane" size="5 5 0.1" {attributes}/>'
    if kind not in SIZES:
        return f'<geom type="mesh" mesh="{kind}" {attributes}/>'
    return f'<geom type="{kind}" size="{text(scale * rng.uniform(0.05, 0.3, SIZES[kind]))}" {attributes}/>'


def option(multi: bool) -> str:
    return f'<option><flag multiccd="{"enable" if multi else "disable"}"/></option>'


def pair_xml(pair: tuple[str, str], rng: np.random.Generator, margin: float = 0.0, multi: bool = False) -> str:
    """Two free bodies, or one over a plane."""
    attributes = f'margin="{margin / 2}" gap="{margin / 8}"'
    geoms = [(k, geom(k, rng, attributes)) for k in pair]
    bodies = "".join(g if k == "plane" else f"<body><freejoint/>{g}</body>" for k, g in geoms)
    return f"<mujoco>{option(multi)}<asset>{assets(rng)}</asset><worldbody>{bodies}</worldbody></mujoco>"


def pairs_xml(pairs: Sequence[tuple[str, str]], rng: np.random.Generator, scale: float = 1.0) -> str:
    """Free bodies that touch in pairs only: 2 k and 2 k + 1."""
    bodies, listed = "", ""
    for k, pair in enumerate(pairs):
        for i, kind in enumerate(pair):
            attributes = f'name="{2 * k + i}" contype="0" conaffinity="0" mass="1"'
            bodies += f"<body><freejoint/>{geom(kind, rng, attributes, scale)}</body>"
        listed += f'<pair geom1="{2 * k}" geom2="{2 * k + 1}"/>'
    return (
        f"<mujoco><asset>{assets(rng, scale)}</asset><worldbody>{bodies}</worldbody>"
        f"<contact>{listed}</contact></mujoco>"
    )


def reach(m: corten.Model, d: corten.Data, g: int, directions: np.ndarray) -> np.ndarray:
    """The support function of geom g in each of some directions."""
    local, size, kind = directions @ d.geom_xmat[g].reshape(3, 3), m.geom_size[g], m.geom_type[g]
    if kind == GeomType.SPHERE:
        h = np.full(len(local), size[0])
    elif kind == GeomType.CAPSULE:
        h = size[0] + size[1] * np.abs(local[:, 2])
    elif kind == GeomType.ELLIPSOID:
        h = np.linalg.norm(local * size, axis=1)
    elif kind == GeomType.CYLINDER:
        h = size[0] * np.hypot(local[:, 0], local[:, 1]) + size[1] * np.abs(local[:, 2])
    elif kind == GeomType.BOX:
        h = np.abs(local) @ size
    else:
        mesh = m.geom_dataid[g]
        first, count = m.mesh_vertadr[mesh], m.mesh_vertnum[mesh]
        h = (local @ m.mesh_vert[first : first + count].T).max(axis=1)
    return h + directions @ d.geom_xpos[g]


def overlap(m: corten.Model, d: corten.Data, a: int, b: int, directions: np.ndarray) -> np.ndarray:
    """How far the shadows of a and b on each of some lines overlap; the least of all is the depth, if positive."""
    return reach(m, d, a, directions) + reach(m, d, b, -directions)


def evenly(count: int) -> np.ndarray:
    """Directions all round, the axes among them."""
    i = np.arange(count) + 0.5
    polar, azimuth = np.arccos(1 - 2 * i / count), np.pi * (1 + 5**0.5) * i
    around = [np.cos(azimuth) * np.sin(polar), np.sin(azimuth) * np.sin(polar), np.cos(polar)]
    return np.vstack([np.stack(around, axis=1), np.eye(3), -np.eye(3)])


def hilly(rng: np.random.Generator, kind: str, margin: float) -> Scene:
    """A height field, turned, and a free body."""
    heights = text(rng.uniform(size=9 * 11))
    body = geom(kind, rng, f'margin="{margin}"')
    return Scene(
        f"<mujoco><asset>{assets(rng)}<hfield name='h' nrow='9' ncol='11' size='1 1 .3 .2' elevation='{heights}'/>"
        "</asset><worldbody><geom type='hfield' hfield='h' euler='10 20 30' pos='.1 .2 .3'/>"
        f"<body><freejoint/>{body}</body></worldbody></mujoco>"
    )
