"""Default classes: that what is said wins, childclass, errors. Who inherits what is in tests/spec."""

from __future__ import annotations

import numpy as np
import pytest

from corten.mjcf import MjcfError, compile_string

pytestmark = pytest.mark.plain

BODY = '<worldbody><body {0}><joint {1}/><geom size="1" {2}/></body></worldbody>'


def values(default: str, body: str = "", joint: str = "", geom: str = "", more: str = "") -> dict:
    return compile_string(f"<mujoco>{default}{BODY.format(body, joint, geom)}{more}</mujoco>").values


@pytest.mark.parametrize("said", ["0", "0.0"])
def test_said_value_wins_even_where_it_is_the_built_in_one(said: str) -> None:
    default = '<default><default class="k"><joint damping="5" type="slide"/><geom density="500"/></default></default>'
    v = values(default, joint=f'class="k" damping="{said}" type="hinge"', geom='class="k" density="1000"')
    assert v["dof_damping"] == [0.0]
    assert v["jnt_type"] == [3]
    assert v["body_mass"][1] == pytest.approx(1000 * 4 / 3 * np.pi, rel=1e-15)


def test_shorter_list_replaces_only_the_head() -> None:
    assert values('<default><geom friction="0.8 0.01 0.001"/></default>', geom='friction="2"')["geom_friction"] == [
        (2.0, 0.01, 0.001)
    ]


def test_childclass_holds_until_another_one() -> None:
    xml = (
        '<mujoco><default><default class="a"><geom size="2"/></default><default class="b"><geom size="3"/></default>'
        '</default><worldbody><body childclass="a"><geom/><body><geom/><geom class="b"/><body childclass="b"><geom/>'
        '</body></body><frame childclass="b"><geom/></frame></body></worldbody></mujoco>'
    )
    assert [size[0] for size in compile_string(xml).values["geom_size"]] == [2, 3, 2, 3, 3]


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
