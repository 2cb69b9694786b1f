"""Every numbered criterion of the sections that are tested here has a test of its number, or a reason for none.

A file says in `CRITERIA` what numbers each section has, and in `LEFT_OUT` why some have no test. The name of a test
begins with the criteria it stands for: `test_s15_c08_no_energy_from_bounces`, `test_s31_c04_s32_c10_...`.
"""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

FILES = sorted(path.stem for path in Path(__file__).parent.glob("test_*_criteria.py"))


def criteria_of(name: str) -> set[str]:
    """The criteria that a test's name says it stands for."""
    found, section = set(), ""
    for part in name.removeprefix("test_").split("_"):
        if re.fullmatch(r"s\d\d", part):
            section = part
        elif re.fullmatch(r"c\d\d", part):
            found.add(f"{section}_{part}")
        else:
            break
    return found


def test_names_are_read() -> None:
    assert criteria_of("test_s15_c04_c14_s32_c05_a_ball_s99") == {"s15_c04", "s15_c14", "s32_c05"}
    assert criteria_of("test_names") == set()


@pytest.mark.parametrize("file", FILES)
def test_no_criterion_is_forgotten(file: str) -> None:
    module = importlib.import_module(file)
    wanted = {f"{section}_c{k:02}" for section, numbers in module.CRITERIA.items() for k in numbers}
    tests = [name for name in vars(module) if name.startswith("test_")]
    tested = set().union(*(criteria_of(name) for name in tests))
    assert not [name for name in tests if not criteria_of(name)]
    assert tested | set(module.LEFT_OUT) == wanted
    assert not tested & set(module.LEFT_OUT)
