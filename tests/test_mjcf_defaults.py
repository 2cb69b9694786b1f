"""Default classes: who inherits what, and that what is said wins."""

from __future__ import annotations

import numpy as np
import pytest

from corten.mjcf import MjcfError, compile_string

pytestmark = pytest.mark.plain

BODY = '<worldbody><body {0}><joint {1}/><geom size="1" {2}/></body></worldbody>'


def values(default: str, body: str = "", joint: str = "", geom: str = "", more: str = "") -> dict:
    return compile_string(f"<mujoco>{default}{BODY.format(body, joint, geom)}{more}</mujoco>").values


def test_joint_takes_damping_of_the_main_class() -> None:
    assert values('<default><joint damping="0.5"/></default>')["dof_damping"] == [0.5]


def test_attribute_of_the_element_wins_over_its_class() -> None:
    default = '<default><default class="heavy"><joint damping="0.5"/></default></default>'
    assert values(default, joint='class="heavy" damping="1"')["dof_damping"] == [1.0]


@pytest.mark.parametrize("said", ["0", "0.0"])
def test_said_value_wins_even_where_it_is_the_built_in_one(said: str) -> None:
    default = '<default><default class="k"><joint damping="5" type="slide"/><geom density="500"/></default></default>'
    v = values(default, joint=f'class="k" damping="{said}" type="hinge"', geom='class="k" density="1000"')
    assert v["dof_damping"] == [0.0]
    assert v["jnt_type"] == [3]
    assert v["body_mass"][1] == pytest.approx(1000 * 4 / 3 * np.pi, rel=1e-15)


def test_nested_classes_add_up() -> None:
    default = (
        '<default><joint damping="0.1"/><default class="robot"><joint damping="0.5"/>'
        '<default class="arm"><joint armature="0.01"/></default></default></default>'
    )
    v = values(default, joint='class="arm"')
    assert (v["dof_damping"], v["dof_armature"]) == ([0.5], [0.01])


def test_geoms_take_friction_and_density() -> None:
    v = values('<default><geom friction="0.8 0.01 0.001" density="500"/></default>')
    assert v["geom_friction"] == [(0.8, 0.01, 0.001)]
    assert v["body_mass"][1] == pytest.approx(500 * 4 / 3 * np.pi, rel=1e-15)


def test_shorter_list_replaces_only_the_head() -> None:
    assert values('<default><geom friction="0.8 0.01 0.001"/></default>', geom='friction="2"')["geom_friction"] == [
        (2.0, 0.01, 0.001)
    ]


def test_actuators_and_tendons_inherit() -> None:
    more = (
        '<tendon><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon>'
        '<actuator><motor joint="j"/><general joint="j"/></actuator>'
    )
    v = values('<default><general gear="100"/><tendon stiffness="1000"/></default>', joint='name="j"', more=more)
    assert [gear[0] for gear in v["actuator_gear"]] == [100, 100]
    assert v["tendon_stiffness"] == [1000]


def test_childclass_holds_until_another_one() -> None:
    xml = (
        '<mujoco><default><default class="a"><geom size="2"/></default><default class="b"><geom size="3"/></default>'
        '</default><worldbody><body childclass="a"><geom/><body><geom/><geom class="b"/><body childclass="b"><geom/>'
        '</body></body><frame childclass="b"><geom/></frame></body></worldbody></mujoco>'
    )
    assert [size[0] for size in compile_string(xml).values["geom_size"]] == [2, 3, 2, 3, 3]


def test_no_default_section_changes_nothing() -> None:
    assert values("")["geom_friction"] == values("<default/>")["geom_friction"]


@pytest.mark.parametrize("where", ['class="nope"', ""])
def test_unknown_class_is_an_error(where: str) -> None:
    body = "" if where else 'childclass="nope"'
    with pytest.raises(MjcfError, match="unknown default class 'nope'"):
        values('<default><default class="known"/></default>', body=body, geom=where)


def test_unknown_class_close_to_a_known_one_is_suggested() -> None:
    with pytest.raises(MjcfError, match=r"did you mean 'collision'\?"):
        values('<default><default class="collision"/></default>', geom='class="colision"')


@pytest.mark.parametrize(
    ("default", "message"),
    [
        ('<default><default class="a"/><default class="a"/></default>', "repeats the class 'a'"),
        ("<default><default/></default>", "needs attribute 'class'"),
        ('<default class="x"/>', "the outermost class is called 'main'"),
        ("<default><geom/><geom/></default>", "may appear only once"),
        ('<default><geom name="x"/></default>', "has no attribute 'name'"),
        ('<default><position kv="1" dampratio="1"/></default>', "cannot be combined with 'dampratio'"),
    ],
)
def test_wrong_default_sections(default: str, message: str) -> None:
    with pytest.raises(MjcfError, match=message):
        values(default)
