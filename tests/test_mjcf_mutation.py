"""Mutated files give a model or an `MjcfError`, nothing else, and do so quickly."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mjcf_cases import FEATURES, WORLD

from corten.mjcf import MjcfError, compile_string

pytestmark = pytest.mark.plain

SEEDS = [f"<mujoco>{WORLD}{feature}</mujoco>" for feature in FEATURES]
VALUES = ["nan", "-inf", "1e999", "-1", "0", "", " ", "1 2 3 4 5 6 7 8", "true", "x", "1e9", "2147483647", "-1e300",
          "\0", "1e-300", "free", "world", "0 0 0", "1 1 1", "ÿ", "../x", "a", "ball", "hinge", "cord", "mesh", "user",
          "&#0;"]
TAGS = ["body", "geom", "joint", "freejoint", "replicate", "frame", "attach", "site", "inertial", "include", "default",
        "mesh", "hfield", "tendon", "spatial", "fixed", "plugin", "key", "composite", "camera", "light", "option"]
ATTRIBUTE = re.compile(r'(\w+)="([^"]*)"')
OPENING = re.compile(r"</?(\w+)")
SECONDS = 5.0


def _spans(pattern: re.Pattern[str], text: str, group: int) -> list[tuple[int, int]]:
    return [match.span(group) for match in pattern.finditer(text)] or [(0, 0)]


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A valid model with a few accidents: values, names and tags replaced, pieces repeated, moved or cut out."""
    text = draw(st.sampled_from(SEEDS))
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(["value", "copied value", "attribute", "tag", "repeat", "cut", "character"]))
        if kind == "value":
            start, end = draw(st.sampled_from(_spans(ATTRIBUTE, text, 2)))
            text = text[:start] + draw(st.sampled_from(VALUES)) + text[end:]
        elif kind == "copied value":
            start, end = draw(st.sampled_from(_spans(ATTRIBUTE, text, 2)))
            other = draw(st.sampled_from(_spans(ATTRIBUTE, text, 2)))
            text = text[:start] + text[slice(*other)] + text[end:]
        elif kind == "attribute":
            start, end = draw(st.sampled_from(_spans(ATTRIBUTE, text, 1)))
            other = draw(st.sampled_from(_spans(ATTRIBUTE, text, 1)))
            text = text[:start] + text[slice(*other)] + text[end:]
        elif kind == "tag":
            start, end = draw(st.sampled_from(_spans(OPENING, text, 1)))
            text = text[:start] + draw(st.sampled_from(TAGS)) + text[end:]
        elif kind == "repeat":
            places = sorted(start for start, _ in _spans(OPENING, text, 0))
            a, b, c = (draw(st.sampled_from(places)) for _ in range(3))
            text = text[:c] + text[min(a, b):max(a, b)] + text[c:]
        elif kind == "cut":
            start, end = draw(st.sampled_from(_spans(ATTRIBUTE, text, 0)))
            text = text[:start] + text[end:]
        else:
            place = draw(st.integers(0, len(text)))
            text = text[:place] + draw(st.sampled_from(list('<>"&/=\x01é'))) + text[place + 1:]
    return text


def check(xml: str) -> None:
    start = time.process_time()
    try:
        model = compile_string(xml)
    except MjcfError as error:
        assert str(error).startswith("<string>")
    else:
        assert model.sizes["nbody"] >= 1
    assert time.process_time() - start < SECONDS


@given(mutated())
@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
def test_mutations(xml: str) -> None:
    check(xml)


@pytest.mark.slow
@given(mutated())
@settings(max_examples=10_000, deadline=None, suppress_health_check=list(HealthCheck))
def test_many_mutations(xml: str) -> None:
    check(xml)
