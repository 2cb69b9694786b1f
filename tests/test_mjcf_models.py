"""Whole models compile to the reference's numbers."""

from __future__ import annotations

from pathlib import Path

import pytest
from mjcf_compare import DYNAMIC, differences, without_cache

from corten.mjcf import MjcfError, compile_path

BUNDLED = sorted((Path(__file__).parent.parent / "corten" / "models").glob("*.xml"))

# the order in which a hull's vertices list their neighbours is qhull's own; hulls are compared in test_assets_mesh
HULL_ORDER = frozenset({"mesh_graph"})

NOT_SUPPORTED = ("plugins are not supported",)


def _compare(path: Path) -> None:
    import mujoco

    without_cache()
    try:
        theirs = mujoco.MjModel.from_xml_path(str(path))
    except ValueError:
        pytest.skip("not a model: a part that others include")
    try:
        ours = compile_path(path)
    except MjcfError as error:
        assert any(reason in str(error) for reason in NOT_SUPPORTED), error
        pytest.skip(str(error))
    assert differences(ours, theirs, DYNAMIC | HULL_ORDER) == []


@pytest.mark.reference
@pytest.mark.plain
@pytest.mark.parametrize("path", BUNDLED, ids=lambda p: p.stem)
def test_bundled_model(path: Path) -> None:
    _compare(path)


@pytest.mark.reference
@pytest.mark.plain
def test_shared_model(shared_model: Path) -> None:
    _compare(shared_model)
