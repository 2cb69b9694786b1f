"""Acceptance criteria of spec 004, section 1: default classes."""

from __future__ import annotations

import numpy as np
import pytest

from corten.mjcf import MjcfError, compile_string

pytestmark = pytest.mark.plain

CRITERIA = {"s01": range(1, 13)}
LEFT_OUT = {"s01_c12": "compares the other implementation with its own past"}

WORLD = """
<mujoco>{default}
  <worldbody>
    <body {body}><joint name="j" {joint}/><geom name="g" size="1" {geom}/><site name="s" {site}/></body>
  </worldbody>
  <contact><pair geom1="g" geom2="g" {pair}/></contact>
  <tendon><fixed name="t" {tendon}><joint joint="j" coef="1"/></fixed></tendon>
  <equality><joint joint1="j" {equality}/></equality>
  <actuator><general joint="j" {general}/><motor joint="j" {motor}/><position joint="j" {position}/></actuator>
</mujoco>"""
PLACES = ("body", "joint", "geom", "site", "pair", "tendon", "equality", "general", "motor", "position")


def values(default: str = "", **attributes: str) -> dict:
    """The numbers of a model with these defaults and attributes."""
    return compile_string(WORLD.format(default=default, **{p: attributes.get(p, "") for p in PLACES})).values


def test_s01_c01_c09_a_joint_takes_the_damping_of_the_outermost_class() -> None:
    assert values('<default><joint damping="0.5"/></default>')["dof_damping"] == [0.5]


def test_s01_c02_what_is_said_wins_over_its_class() -> None:
    default = '<default><default class="heavy"><joint damping="0.5"/></default></default>'
    assert values(default, joint='class="heavy"')["dof_damping"] == [0.5]
    assert values(default, joint='class="heavy" damping="1"')["dof_damping"] == [1.0]
    assert values(default)["dof_damping"] == [0.0]


def test_s01_c03_nested_classes_add_up() -> None:
    default = (
        '<default><joint damping="0.1"/><default class="robot"><joint damping="0.5"/>'
        '<default class="arm"><joint armature="0.01"/></default></default></default>'
    )
    v = values(default, joint='class="arm"')
    assert (v["dof_damping"], v["dof_armature"]) == ([0.5], [0.01])


def test_s01_c04_geoms_inherit() -> None:
    assert values('<default><geom friction="0.8 0.01 0.001"/></default>')["geom_friction"] == [(0.8, 0.01, 0.001)]


@pytest.mark.parametrize("element", ["general", "motor"])
def test_s01_c05_actuators_inherit(element: str) -> None:
    """All of them what is said of any: `general` is what the others are short for."""
    v = values(f'<default><{element} gear="100"/></default>')
    assert [gear[0] for gear in v["actuator_gear"]] == [100, 100, 100]


def test_s01_c06_tendons_inherit() -> None:
    assert values('<default><tendon stiffness="1000"/></default>')["tendon_stiffness"] == [1000]


def test_s01_c07_sensors_have_no_defaults() -> None:
    """As in MJCF; the document knows an element that is not there."""
    with pytest.raises(MjcfError, match="<default> cannot hold <sensor>"):
        values('<default><sensor noise="0.01"/></default>')


def test_s01_c08_masses_follow_inherited_densities() -> None:
    v = values('<default><geom density="500"/></default>')
    assert v["body_mass"][1] == pytest.approx(500 * 4 / 3 * np.pi, rel=1e-15)


@pytest.mark.parametrize(
    ("element", "attribute", "field", "expected"),
    [
        ("site", 'size="0.3"', "site_size", (0.3, 0.005, 0.005)),
        ("pair", 'condim="4"', "pair_dim", 4),
        ("equality", 'solref="0.05 2"', "eq_solref", (0.05, 2.0)),
        ("position", 'kp="7"', "actuator_gainprm", 7.0),
    ],
)
def test_s01_c09_elements_without_a_class_take_the_outermost(
    element: str, attribute: str, field: str, expected: object
) -> None:
    """Those with a class take that one's."""
    outermost = f"<{element} {attribute}/>"
    v = values(f'<default>{outermost}<default class="other"/></default>')
    found = v[field][-1]
    assert (found[0] if field == "actuator_gainprm" else found) == expected
    nested = values(f'<default><default class="other">{outermost}</default></default>', **{element: 'class="other"'})
    np.testing.assert_array_equal(nested[field][-1], v[field][-1])
    assert np.any(np.not_equal(values()[field][-1], v[field][-1]))


@pytest.mark.parametrize("where", ["joint", "geom", "site", "pair", "tendon", "equality", "general", "body"])
def test_s01_c10_an_unknown_class_is_an_error(where: str) -> None:
    """As in MuJoCo, where the document lets it pass."""
    with pytest.raises(MjcfError, match="unknown default class 'nope'"):
        default = '<default><default class="known"/></default>'
        values(default, **{where: 'childclass="nope"' if where == "body" else 'class="nope"'})


def test_s01_c11_no_defaults_change_nothing() -> None:
    plain = values()
    for default in ("<default/>", '<default><default class="unused"><geom size="3" density="7"/></default></default>'):
        other = values(default)
        for name, value in plain.items():
            np.testing.assert_array_equal(np.asarray(value, object), np.asarray(other[name], object), err_msg=name)
