"""What all tests share: where the models are, and which tests make sense in this environment."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
HAS_REFERENCE = importlib.util.find_spec("mujoco") is not None
JIT = os.environ.get("CORTEN_JIT", "1") != "0"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip comparisons where the reference is missing; with CORTEN_JIT=0, whatever is not marked `plain`."""
    no_reference = pytest.mark.skip(reason="mujoco is not installed (extra 'test')")
    needs_jit = pytest.mark.skip(reason="not marked 'plain': too slow, or about the compiler")
    for item in items:
        if item.get_closest_marker("reference") and not HAS_REFERENCE:
            item.add_marker(no_reference)
        if not JIT and not item.get_closest_marker("plain"):
            item.add_marker(needs_jit)


# Folder of models that are not ours: CORTEN_TEST_MODELS, or `../shared/models` beside the repository.
SHARED_MODELS = Path(os.environ.get("CORTEN_TEST_MODELS", ROOT.parent / "shared" / "models"))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that takes `shared_model` runs once for each of the shared models."""
    if "shared_model" in metafunc.fixturenames:
        files = sorted(SHARED_MODELS.rglob("*.xml"))
        names = ["/".join(f.relative_to(SHARED_MODELS).parts) for f in files]
        missing = [pytest.param(None, marks=pytest.mark.skip(reason="no folder of shared models"), id="none")]
        metafunc.parametrize("shared_model", files or missing, ids=names or None)


@pytest.fixture(scope="session")
def shared_models() -> Path:
    """The folder of shared models."""
    folder = SHARED_MODELS
    if not folder.is_dir():
        pytest.skip("no folder of shared models (set CORTEN_TEST_MODELS)")
    return folder
