"""What Corten reads beyond MuJoCo: a relaxation factor, a distance between geoms, a diagonal implicit integrator."""

from __future__ import annotations

import numpy as np
import pytest

from corten.mjcf import MjcfError, compile_string
from corten.model.enums import EqualityType, Integrator, ObjType

pytestmark = pytest.mark.plain

WORLD = (
    '<worldbody><body pos="1 2 3"><freejoint/><geom name="a" size=".1" pos="0 0 1"/></body>'
    '<body pos="1 0 0"><freejoint/><geom name="b" size=".1"/></body></worldbody>'
)


def test_relaxation_factor() -> None:
    assert compile_string("<mujoco/>").values["opt.sor"] == 1.0
    assert compile_string('<mujoco><option sor="1.3"/></mujoco>').values["opt.sor"] == 1.3
    assert compile_string('<mujoco><option strict="true"/></mujoco>').values["opt.strict"] == 1


def test_diagonal_implicit_integrator() -> None:
    values = compile_string('<mujoco><option integrator="implicitspringdamper"/></mujoco>').values
    assert values["opt.integrator"] == Integrator.IMPLICITSPRINGDAMPER


def test_distance_between_geoms() -> None:
    equality = (
        '<equality><distance geom1="a" geom2="b" distance="2"/><distance geom1="b" geom2="a" solref=".1"/></equality>'
    )
    values = compile_string(f"<mujoco>{WORLD}{equality}</mujoco>").values
    assert values["eq_type"] == [EqualityType.DISTANCE] * 2
    assert values["eq_objtype"] == [ObjType.GEOM] * 2
    assert (values["eq_obj1id"], values["eq_obj2id"]) == ([0, 1], [1, 0])
    assert values["eq_data"][0][0] == 2.0
    assert values["eq_solref"][1] == (0.1, 1.0)


def test_distance_that_is_not_given_is_that_of_the_file() -> None:
    import corten

    m = corten.Model.from_xml_string(f'<mujoco>{WORLD}<equality><distance geom1="a" geom2="b"/></equality></mujoco>')
    np.testing.assert_allclose(m.eq_data[0, 0], np.sqrt(4 + 16), rtol=1e-12)


def test_distance_to_an_unknown_geom() -> None:
    with pytest.raises(MjcfError, match="<distance> attribute 'geom2': unknown geom 'c'"):
        compile_string(f'<mujoco>{WORLD}<equality><distance geom1="a" geom2="c"/></equality></mujoco>')
