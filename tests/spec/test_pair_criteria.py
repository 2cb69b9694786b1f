"""Acceptance criteria of spec 004, section 3: pairs and excludes.

Where the document records that it differs from MuJoCo (criteria 9, 10, 11 and 16), the tests ask for what MuJoCo does.
"""

from __future__ import annotations

import numpy as np
import pytest

import corten
from corten.mjcf import MjcfError

pytestmark = pytest.mark.plain

CRITERIA = {"s03": range(1, 18)}
LEFT_OUT: dict[str, str] = {}

WORLD = """
<mujoco>
  <default><default class="custom"><pair condim="4" friction=".3 .4 .05 .01 .02"/></default></default>
  <worldbody>
    <body name="A" pos="0 0 {height}">
      <freejoint/>
      <geom name="a" size=".1" {a}/>
      <geom name="a2" size=".1" pos=".05 0 0" contype="0" conaffinity="0"/>
      <body name="child" pos="0 .1 0"><joint/><geom name="c" size=".1" contype="4" conaffinity="4"/></body>
    </body>
    <body name="B"><freejoint/><geom name="b" size=".1" {b}/></body>
  </worldbody>
  <contact>{contact}</contact>
</mujoco>"""
GEOMS = ["a", "a2", "c", "b"]  # by number


def touching(contact: str = "", a: str = "", b: str = "", height: float = 0.18) -> corten.Data:
    """Balls a and b of different bodies touch (at that height); a, its neighbour a2, and c of its child overlap."""
    m = corten.Model.from_xml_string(WORLD.format(contact=contact, a=a, b=b, height=height))
    d = corten.Data(m)
    corten.forward(m, d)
    return d


def pairs(d: corten.Data) -> list[set[str]]:
    """Names of the geoms of each contact."""
    return [{GEOMS[g] for g in geoms} for geoms in d.contact.geom]


AB = '<pair geom1="a" geom2="b" {}/>'


def test_s03_c01_excluded_bodies_do_not_touch() -> None:
    assert {"a", "b"} in pairs(touching())
    for bodies in ('body1="A" body2="B"', 'body1="B" body2="A"'):
        assert pairs(touching(f"<exclude {bodies}/>")) == []


def test_s03_c02_an_exclude_does_not_suppress_a_pair() -> None:
    assert pairs(touching('<exclude body1="A" body2="B"/>' + AB.format(""))) == [{"a", "b"}]


@pytest.mark.parametrize(
    ("one", "other"), [("a", "a2"), ("a", "c"), ("a2", "b")], ids=["same body", "parent and child", "masks"]
)
def test_s03_c03_a_pair_passes_all_filters(one: str, other: str) -> None:
    assert {one, other} not in pairs(touching())
    assert {one, other} in pairs(touching(f'<pair geom1="{one}" geom2="{other}"/>'))


@pytest.mark.parametrize("height", [0.201, 0.25, 5.0])
def test_s03_c04_a_pair_that_is_apart_does_not_touch(height: float) -> None:
    assert pairs(touching(AB.format(""), height=height)) == []


def test_s03_c05_a_pair_replaces_the_contact_of_its_geoms() -> None:
    d = touching(AB.format('condim="1"'))
    assert pairs(d) == [{"a", "b"}]
    assert list(d.contact.dim) == [1]


@pytest.mark.parametrize("condim", [1, 3, 4, 6])
def test_s03_c06_a_pair_has_its_own_dimension(condim: int) -> None:
    assert list(touching(AB.format(f'condim="{condim}"'), a='condim="6"').contact.dim) == [condim]


def test_s03_c07_a_pair_has_its_own_friction() -> None:
    friction = [0.4, 0.5, 0.06, 0.007, 0.008]
    text = " ".join(map(str, friction))
    d = touching(AB.format(f'friction="{text}"'), a='friction="2 2 2"')
    np.testing.assert_array_equal(d.contact.friction, [friction])


def test_s03_c08_a_pair_has_its_own_solver_parameters() -> None:
    d = touching(AB.format('solref=".05 .8" solimp=".85 .9 .002 .4 1.5"'), a='solref=".1 2" solimp=".1 .2 .3 .4 5"')
    np.testing.assert_array_equal(d.contact.solref, [[0.05, 0.8]])
    np.testing.assert_array_equal(d.contact.solimp, [[0.85, 0.9, 0.002, 0.4, 1.5]])


def test_s03_c09_a_pair_has_its_own_margin_and_gap() -> None:
    """With effect: within the margin there is a contact, within margin less gap there is a force."""
    for height, contacts, rows in ((0.32, 0, 0), (0.28, 1, 0), (0.24, 1, 4)):
        d = touching(AB.format('margin=".1" gap=".05"'), height=height)
        assert (d.ncon, d.nefc) == (contacts, rows)
    assert d.contact.includemargin[0] == 0.05


def test_s03_c10_friction_follows_solref_by_default() -> None:
    """By zeros, which say that there is nothing else: the damping of the tangents is that of the normal."""
    for text, given in (("", [0.0, 0.0]), ('solreffriction=".1 2"', [0.1, 2.0])):
        d = touching(AB.format(f'solref=".05 .8" {text}'))
        np.testing.assert_array_equal(d.contact.solreffriction, [given])


def test_s03_c11_what_a_pair_does_not_say_is_built_in() -> None:
    """Not taken from its geoms, as contacts without a pair are."""
    geom = 'condim="6" friction=".2 .1 .05" solref=".05 .8" solimp=".8 .9 .01 .4 3" priority="1" margin=".3"'
    d = touching(AB.format(""), a=geom)
    built_in = {
        "dim": 3,
        "friction": [1.0, 1.0, 0.005, 0.0001, 0.0001],
        "solref": [0.02, 1.0],
        "solimp": [0.9, 0.95, 0.001, 0.5, 2.0],
        "includemargin": 0.0,
    }
    for name, value in built_in.items():
        np.testing.assert_array_equal(getattr(d.contact, name)[0], value, err_msg=name)
    partly = touching(AB.format('condim="4"'), a=geom)
    assert partly.contact.dim[0] == 4
    np.testing.assert_array_equal(partly.contact.friction, d.contact.friction)


@pytest.mark.parametrize(
    ("a", "b", "meet"),
    [
        ("", "", True),
        ('contype="2" conaffinity="0"', "", False),
        ('contype="0" conaffinity="0"', "", False),
        ('contype="2" conaffinity="0"', 'contype="0" conaffinity="2"', True),
        ('contype="0" conaffinity="1"', 'contype="1" conaffinity="0"', True),
        ('contype="3" conaffinity="0"', 'contype="0" conaffinity="4"', False),
    ],
)
def test_s03_c12_masks_decide_about_all_others(a: str, b: str, meet: bool) -> None:
    """Also beside pairs and excludes of others."""
    for contact in ("", '<pair geom1="a2" geom2="c"/><exclude body1="A" body2="child"/>'):
        assert ({"a", "b"} in pairs(touching(contact, a, b))) == meet


@pytest.mark.parametrize(
    ("contact", "message"),
    [
        ('<pair geom1="nope" geom2="b"/>', "<pair> attribute 'geom1': unknown geom 'nope'"),
        ('<pair geom1="a" geom2="nope"/>', "<pair> attribute 'geom2': unknown geom 'nope'"),
        ('<exclude body1="nope" body2="B"/>', "<exclude> attribute 'body1': unknown body 'nope'"),
        ('<exclude body1="A" body2="nope"/>', "<exclude> attribute 'body2': unknown body 'nope'"),
    ],
)
def test_s03_c13_unknown_names_are_told(contact: str, message: str) -> None:
    with pytest.raises(MjcfError, match=message):
        touching(contact)


def test_s03_c14_a_pair_inherits_from_its_class() -> None:
    d = touching(AB.format('class="custom"'))
    assert d.contact.dim[0] == 4
    np.testing.assert_array_equal(d.contact.friction, [[0.3, 0.4, 0.05, 0.01, 0.02]])
    assert touching(AB.format('class="custom" condim="1"')).contact.dim[0] == 1


def test_s03_c15_a_body_may_be_excluded_from_itself() -> None:
    assert pairs(touching('<exclude body1="A" body2="A"/>')) == pairs(touching())


def test_s03_c16_a_pair_that_is_given_twice_counts_twice() -> None:
    """As in MuJoCo, each with its own parameters; the geoms' own contact is still replaced."""
    for again in ('<pair geom1="a" geom2="b" condim="4"/>', '<pair geom1="b" geom2="a" condim="4"/>'):
        d = touching(AB.format('condim="1"') + again)
        assert pairs(d) == [{"a", "b"}] * 2
        assert sorted(d.contact.dim) == [1, 4]


@pytest.mark.parametrize(
    ("contact", "attribute"),
    [
        ('<pair geom2="b"/>', "geom1"),
        ('<pair geom1="b"/>', "geom2"),
        ('<exclude body2="B"/>', "body1"),
        ('<exclude body1="B"/>', "body2"),
    ],
)
def test_s03_c17_what_is_needed_is_told(contact: str, attribute: str) -> None:
    with pytest.raises(MjcfError, match=f"needs attribute '{attribute}'"):
        touching(contact)
