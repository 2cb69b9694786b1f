"""Corten against the reference: every model at hand, every stage that is covered."""

from __future__ import annotations

from pathlib import Path

import pytest

from corten import models
from corten.conformance import Report, Settings, compare_model
from corten.conformance.engines import Corten, Reference

pytestmark = pytest.mark.reference


@pytest.fixture(scope="module")
def engines() -> tuple[Reference, Corten]:
    return Reference(), Corten()


def verdict(report: Report) -> str:
    """What a failing test should show: the first wrong stage and its wrong fields."""
    wrong = [x for x in report.differences if x.stage == report.first_failing and not x.passed]
    lines = sorted({f"{x.field} in {x.state}: {x.detail}" for x in wrong})
    return f"{report.status} {report.reason}; first wrong stage {report.first_failing}:\n" + "\n".join(lines[:12])


@pytest.mark.parametrize("integrator", ["euler", "rk4"])
@pytest.mark.parametrize("name", models.names())
def test_bundled_models_agree(name: str, integrator: str, engines) -> None:
    report = compare_model(models.path(name), Settings(integrators=(integrator,)), *engines)
    assert report.status == "passed", verdict(report)
    assert "compile" in report.stages and "trajectory" in report.stages and not report.features


def test_shared_models_agree_or_are_refused_with_a_reason(shared_model: Path, engines) -> None:
    report = compare_model(shared_model, Settings(), *engines)
    assert report.status != "failed", verdict(report)
    if report.status == "refused":
        assert shared_model.name in report.reason and "not supported" in report.reason
