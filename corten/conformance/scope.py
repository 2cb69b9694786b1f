"""What a comparison leaves out, and why: the only place that says so.

Three kinds. *Permanent* exclusions are fields that no engine needs to agree on (drawing, memory, layout). *Not covered
yet* lists what Corten does not do so far: stages, features of a model, flags switched off in both engines. Later work
shortens those lists to nothing; `corten conform` prints them with every run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from corten.model.enums import SensorType

from .stages import STAGES

# --- not covered yet: these lists shrink ---------------------------------------------------------------------------

# Disable flags set in both engines, by their MJCF names.
DISABLED: dict[str, str] = {}

# Enable flags cleared in both engines.
CLEARED: dict[str, str] = {
    "sleep": "nothing sleeps yet",
}

# Stages that are not compared at all.
STAGES_NOT_COVERED: dict[str, str] = {}

# Patterns of Data fields that are there but not complete.
FIELDS_NOT_COVERED: dict[str, str] = {}

# Sensors whose readings are not compared, by their types.
SENSORS_NOT_COVERED: dict[SensorType, str] = {}


@dataclass(frozen=True, slots=True)
class Feature:
    """Something a model may use that Corten does not do yet, and what can therefore not agree for such a model."""

    name: str
    reason: str
    used_by: Callable[[Any], bool]  # of a model of either engine
    fields: tuple[str, ...] = ()
    stages: tuple[str, ...] = ()


SIMULATION = tuple(stage for stage in STAGES if stage != "compile")

FEATURES_NOT_COVERED: tuple[Feature, ...] = (
    Feature(
        "soft bodies",
        "models of flex compile, but are not simulated yet",
        lambda m: getattr(m, "nflex", 0) > 0,
        stages=SIMULATION,
    ),
)

# --- permanent -----------------------------------------------------------------------------------------------------

# Patterns of Model fields.
MODEL_EXCLUDED: dict[str, str] = {
    "mat_[!r]*": "looks of surfaces; colours are kept, since rays pass what is invisible",
    "mat_reflectance": "looks of surfaces",
    "mat_roughness": "looks of surfaces",
    "site_matid": "looks of surfaces",
    "tendon_matid": "looks of surfaces",
    "flex_matid": "looks of surfaces",
    "site_rgba": "colours",
    "tendon_rgba": "colours",
    "flex_rgba": "colours",
    "tex_*": "textures are not kept",
    "ntex": "textures are not kept",
    "ntexdata": "textures are not kept",
    "flex*texcoord*": "texture coordinates",
    "nflextexcoord": "texture coordinates",
    "*skin*": "skins are drawing only",
    "light_ambient": "looks of lights",
    "light_active": "looks of lights",
    "light_attenuation": "looks of lights",
    "light_bulbradius": "looks of lights",
    "light_castshadow": "looks of lights",
    "light_cutoff": "looks of lights",
    "light_diffuse": "looks of lights",
    "light_exponent": "looks of lights",
    "light_intensity": "looks of lights",
    "light_range": "looks of lights",
    "light_specular": "looks of lights",
    "light_texid": "looks of lights",
    "light_type": "looks of lights",
    "tendon_width": "drawing only",
    "cam_ipd": "stereo drawing only",
    "flex_flatskin": "drawing only",
    "*bvh*": "search tree of the reference's own collision phase",
    "*oct_*": "search tree of the reference's own signed distance fields",
    "noct": "search tree of the reference's own signed distance fields",
    "mesh_oct*": "search tree of the reference's own signed distance fields",
    "names*": "one string of bytes; names are compared through their addresses' owners",
    "name_*": "layout of that string",
    "nnames*": "layout of that string",
    "paths": "files of the assets",
    "*_pathadr": "files of the assets",
    "npaths": "files of the assets",
    "nbuffer": "memory",
    "narena": "memory",
    "*plugin*": "plugins are refused",
    "signature": "checksum of the layout",
}

# Patterns of Data fields.
DATA_EXCLUDED: dict[str, str] = {
    "maxuse_*": "memory",
    "narena": "memory",
    "nbuffer": "memory",
    "pstack": "memory",
    "pbase": "memory",
    "parena": "memory",
    "qM": "the matrix M once more, in a legacy layout",
    "nJ": "storage of a sparse matrix; the matrix is compared",
    "nA": "storage of a sparse matrix; the matrix is compared",
    "*_rownnz": "storage of a sparse matrix; the matrix is compared",
    "*_rowadr": "storage of a sparse matrix; the matrix is compared",
    "*_colind": "storage of a sparse matrix; the matrix is compared",
    "*_rowsuper": "storage of a sparse matrix; the matrix is compared",
    "bvh_*": "search tree of the reference's own collision phase",
    "flg_*": "which lazy fields were computed",
    "signature": "checksum of the layout",
    "threadpool": "threads",
    "solver_niter": "compared with the model's own solver settings",
    "solver_nnz": "storage of a sparse matrix",
    "solver_fwdinv": "how far the solver is from its goal: mostly rounding",
    "nplugin": "plugins are refused",
    "plugin*": "plugins are refused",
    "qH": "written by the integrators, which trajectories compare",
    "qHDiagInv": "written by the integrators, which trajectories compare",
    "qDeriv": "written by the integrators, which trajectories compare",
    "qLU": "written by the integrators, which trajectories compare",
    "efc_state": "which side of a kink a row is on is free where its force is zero",
    "efc_b": "held only by the dual solvers, which write it in place",
    "efc_AR": "held only by the dual solvers",
    "iM": "a copy sorted by islands",
    "iLD*": "a copy sorted by islands",
    "iacc*": "a copy sorted by islands",
    "ifrc_*": "a copy sorted by islands",
    "iefc_*": "a copy sorted by islands",
    "*_awake_ind": "lists of what is awake, whose flags are compared",
    "contact.H": "scratch of the reference's elliptic Newton solver",
}


def model_reason(field: str) -> str | None:
    """Why a field of the model is not compared, or None if it is."""
    return _reason(field, MODEL_EXCLUDED)


def data_reason(field: str) -> str | None:
    """Why a field of the data is not compared, or None if it is."""
    return _reason(field, DATA_EXCLUDED) or _reason(field, FIELDS_NOT_COVERED)


def _reason(field: str, table: dict[str, str]) -> str | None:
    return next((why for pattern, why in table.items() if fnmatchcase(field, pattern)), None)


def features_of(m: Any) -> list[Feature]:
    """What a model uses that is not covered yet."""
    return [f for f in FEATURES_NOT_COVERED if f.used_by(m)]


def missing_fields(theirs: Iterable[str], ours: Iterable[str], excluded: dict[str, str]) -> list[str]:
    """Fields of the reference that Corten does not have and that nothing excludes, those of one kind in one word.

    `flex_* (42)` stands for 42 fields that begin so.
    """
    known = set(ours)
    missing = [f for f in theirs if f not in known and _reason(f, excluded) is None]
    kinds: dict[str, list[str]] = {}
    for name in missing:
        head = re.match(r"[^._]*[._]", name)
        kinds.setdefault(head[0] if head else name, []).append(name)
    return [names[0] if len(names) == 1 else f"{kind}* ({len(names)})" for kind, names in sorted(kinds.items())]


def not_covered_yet() -> list[tuple[str, str, str]]:
    """Kind, name and reason of everything that later work is to cover: what `corten conform` prints."""
    return [
        *(("flag off", name, why) for name, why in {**DISABLED, **CLEARED}.items()),
        *(("stage", name, why) for name, why in STAGES_NOT_COVERED.items()),
        *(("data field", name, why) for name, why in FIELDS_NOT_COVERED.items()),
        *(("sensor", kind.name.lower(), why) for kind, why in SENSORS_NOT_COVERED.items()),
        *(("feature", f.name, f.reason) for f in FEATURES_NOT_COVERED),
    ]
