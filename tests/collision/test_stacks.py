"""Stacks of ten stand still: whether contacts are enough, and in the right places, to hold bodies up."""

from __future__ import annotations

import numpy as np
import pytest

import corten

HALF, COUNT, SECONDS = 0.1, 10, 10.0
CUBE = " ".join(f"{x} {y} {z}" for x in (-HALF, HALF) for y in (-HALF, HALF) for z in (-HALF, HALF))
SHAPES = {
    "boxes": f'<geom type="box" size="{HALF} {HALF} {HALF}"/>',
    "cylinders": f'<geom type="cylinder" size="{HALF} {HALF}"/>',
    "meshes": '<geom type="mesh" mesh="cube"/>',
}


def stack(shape: str) -> corten.Model:
    bodies = "".join(f'<body pos="0 0 {HALF * (2 * k + 1)}"><freejoint/>{SHAPES[shape]}</body>' for k in range(COUNT))
    return corten.Model.from_xml_string(
        f"""<mujoco><option><flag multiccd="enable"/></option><asset><mesh name="cube" vertex="{CUBE}"/></asset>
        <worldbody><geom type="plane" size="2 2 0.1"/>{bodies}</worldbody></mujoco>"""
    )


@pytest.mark.parametrize("shape", SHAPES)
def test_stands(shape: str) -> None:
    m = stack(shape)
    d = corten.Data(m)
    start = d.qpos.reshape(-1, 7).copy()
    corten.step(m, d, round(SECONDS / m.opt.timestep))
    end = d.qpos.reshape(-1, 7)
    # friction of finite hardness lets bodies creep; what falls or topples goes much farther
    assert np.abs(end[:, :2] - start[:, :2]).max() < 0.3 * HALF
    assert np.abs(end[:, 2] - start[:, 2]).max() < 0.1 * HALF
    assert 2.0 * np.abs(end[:, 4:6]).max() < 0.05  # tilt
    assert np.abs(d.qvel).max() < 0.3
