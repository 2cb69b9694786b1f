"""Example models of our own, installed with the package: `corten simulate humanoid`."""

from __future__ import annotations

from pathlib import Path

from corten.kernel.errors import did_you_mean

_FOLDER = Path(__file__).parent


def names() -> list[str]:
    """Names of the bundled models, sorted."""
    return sorted(p.stem for p in _FOLDER.glob("*.xml"))


def path(name: str) -> Path:
    """File of a bundled model; `KeyError` with the nearest names if there is none of that name."""
    if name not in names():
        hint = did_you_mean(name, names()) or f" (bundled: {', '.join(names())})"
        raise KeyError(f"no bundled model is called '{name}'{hint}")
    return _FOLDER / f"{name}.xml"
