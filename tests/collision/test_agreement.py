"""Every pair of shapes at random poses against the reference: separated, touching, shallow, deep; sizes and margins at
random. Closed forms are the same to rounding. Where points are found by iteration, rounding may decide that there is
one more, which changes a distance by less than `opt.ccd_tolerance`."""

from __future__ import annotations

import pytest
from agreement import EXACT_PAIRS, PAIRS, agreement

pytestmark = pytest.mark.reference


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_random_poses(pair: tuple[str, str]) -> None:
    tally = agreement(pair, 24)
    assert not tally.wrong
    assert len(tally.different) <= (0 if pair in EXACT_PAIRS else 2), tally.different
    assert tally.touching >= 50


@pytest.mark.slow
@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_a_thousand_random_poses(pair: tuple[str, str]) -> None:
    tally = agreement(pair, 1000)
    assert not tally.wrong
    assert tally.same() >= (1.0 if pair in EXACT_PAIRS else 0.995), tally.different
