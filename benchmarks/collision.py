"""Collision against the reference: cost with the number of scattered bodies, and with large meshes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import corten
from corten.cli.benchmark.timing import best_of
from corten.conformance.engines import Reference
from corten.physics.collision.detect import collision

REPETITIONS = 9
SPREAD = 0.7  # mean distance of the spheres, whose radii are 0.1 to 0.3: some touch
VERTICES = 10_000
POSES = 64

SPHERE = '<body pos="{} {} {}"><freejoint/><geom size="{}"/></body>'
# A body with a large mesh beside each kind of shape, all fixed to the world but the mesh.
SHAPES = {
    "plane": '<geom type="plane" size="5 5 1" pos="0 0 -.4"/>',
    "sphere": '<geom size=".3" pos=".5 0 0"/>',
    "capsule": '<geom type="capsule" size=".2 .3" pos=".5 0 0"/>',
    "box": '<geom type="box" size=".2 .3 .3" pos=".6 0 0"/>',
    "mesh": '<geom type="mesh" mesh="large" pos=".9 0 0"/>',
}


def scattered(count: int) -> str:
    """Spheres at random in a cube that grows with their number."""
    rng = np.random.default_rng(0)
    places = SPREAD * count ** (1 / 3) * rng.random((count, 3))
    radii = rng.uniform(0.1, 0.3, count)
    return "".join(SPHERE.format(*place, radius) for place, radius in zip(places, radii, strict=True))


def large_mesh() -> str:
    """Points on an ellipsoid, all of them corners of the hull."""
    points = np.random.default_rng(0).normal(size=(VERTICES, 3))
    points *= [0.5, 0.4, 0.3] / np.linalg.norm(points, axis=1, keepdims=True)
    return f'<asset><mesh name="large" vertex="{" ".join(f"{x:.6g}" for x in points.ravel())}"/></asset>'


def compare(ref: Reference, xml: str, poses: int) -> tuple[float, float, int]:
    """Microseconds of collision in both engines, and contacts: means over random turns of the last body."""
    m, ref_m = corten.Model.from_xml_string(xml), ref.mj.MjModel.from_xml_string(xml)
    d, ref_d = corten.Data(m), ref.data(ref_m)
    rng = np.random.default_rng(1)
    ours, theirs, contacts = 0.0, 0.0, 0
    for _ in range(poses):
        quat = rng.normal(size=4)
        for data in (d, ref_d):
            data.qpos[-4:] = quat / np.linalg.norm(quat)
        corten.forward(m, d)
        ref.forward(ref_m, ref_d)
        works: dict[str, Callable[[], object]] = {
            "ours": lambda: collision(m, d), "theirs": lambda: ref.mj.mj_collision(ref_m, ref_d)
        }  # fmt: skip
        best = best_of(works, REPETITIONS)
        ours, theirs, contacts = ours + best["ours"], theirs + best["theirs"], contacts + int(ref_d.ncon)
    return 1e6 * ours / poses, 1e6 * theirs / poses, contacts


def _line(name: str, ours: float, per_body: str, theirs: float, contacts: int) -> str:
    return f"{name:>8}                 {ours:10.2f} {per_body:>9} {theirs:13.2f} {theirs / ours:6.2f}x {contacts:9}"


def main() -> None:
    ref = Reference()
    print("scattered spheres         corten us  per body  reference us   ratio  contacts")
    for count in (10, 100, 1000, 10_000):
        xml = f'<mujoco><size memory="2G"/><worldbody>{scattered(count)}</worldbody></mujoco>'  # for the reference
        ours, theirs, contacts = compare(ref, xml, 1)
        print(_line(str(count), ours, f"{ours / count:.3f}", theirs, contacts))
    print(f"mesh of {VERTICES} vertices and")
    mesh = large_mesh()
    body = '<body><freejoint/><geom type="mesh" mesh="large"/></body>'
    for name, shape in SHAPES.items():
        xml = f"<mujoco>{mesh}<worldbody>{shape}{body}</worldbody></mujoco>"
        ours, theirs, contacts = compare(ref, xml, POSES)
        print(_line(name, ours, "", theirs, contacts))


if __name__ == "__main__":
    main()
