"""The example programs do what they say."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


def load(name: str) -> dict:
    """The functions of an example, its main part not run."""
    return runpy.run_path(str(EXAMPLES / f"{name}.py"))


def test_energy_drifts_less_with_a_better_integrator() -> None:
    from corten.model.enums import Integrator

    drift = load("energy")["drift"]
    euler, rk4 = (drift(kind, 0.002, seconds=0.5) for kind in (Integrator.EULER, Integrator.RK4))
    assert rk4 < 1e-6 < euler < 0.05


def test_a_batch_of_policies() -> None:
    survival = load("batch")["survival"]
    push_under = np.array([[0.0, 5.0, 0.0, 1.0]])
    steps = survival(np.vstack([np.zeros((1, 4)), push_under]))
    assert steps[1] > 2 * steps[0]


def test_the_regulator_balances() -> None:
    balance = load("linearise")["balance"]
    assert balance(0.1) < 1e-2


@pytest.mark.plain
def test_wind_carries_the_quadruped() -> None:
    drift = load("own_force")["drift"]
    assert drift(20) > 1e-4
