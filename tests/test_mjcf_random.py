"""Random models: both accept or both refuse, and what both accept has the same numbers."""

from __future__ import annotations

import pytest
from mjcf_compare import differences, without_cache
from mjcf_random import Maker

from corten.mjcf import MjcfError, compile_string

SEEDS = 120


@pytest.mark.reference
def test_random_models() -> None:
    import mujoco

    without_cache()
    accepted = 0
    for seed in range(SEEDS):
        xml = Maker(seed).model()
        try:
            theirs = mujoco.MjModel.from_xml_string(xml)
        except ValueError as error:
            with pytest.raises(MjcfError):
                compile_string(xml)
                pytest.fail(f"seed {seed} should have been refused: {error}")
            continue
        assert differences(compile_string(xml), theirs) == [], seed
        accepted += 1
    assert accepted > SEEDS / 4
