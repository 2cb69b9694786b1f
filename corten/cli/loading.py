"""Models as the command line names them: a bundled model's name or a path."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from corten import models
from corten.cli.problem import Problem

if TYPE_CHECKING:
    import corten


def find(name: str) -> Path:
    """The file of a bundled model's name or of a path; a path wins where both exist."""
    path = Path(name)
    if path.is_file():
        return path
    if path.is_dir():
        raise Problem(f"{name} is a folder; name a model file in it")
    if path.suffix or len(path.parts) > 1:
        raise Problem(f"no such file: {name}")
    try:
        return models.path(name)
    except KeyError as error:
        raise Problem(str(error.args[0])) from error


def load(name: str) -> corten.Model:
    """The compiled model; what is wrong with the file, or strange in it, is told with its place."""
    import corten
    from corten.cli.output import progress_console

    path = find(name)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", corten.MjcfWarning)
        try:
            return corten.Model.from_xml_path(path)
        except (corten.MjcfError, OSError, UnicodeDecodeError) as error:
            raise Problem(str(error)) from error
        finally:
            for warning in caught:
                progress_console.print(f"warning: {warning.message}", markup=False, highlight=False, soft_wrap=True)


def keyframe_index(m: corten.Model, keyframe: str) -> int:
    """The number of a keyframe given by name or number."""
    names = keyframe_names(m)
    if keyframe in names:
        return names.index(keyframe)
    if keyframe.isdecimal() and int(keyframe) < m.nkey:
        return int(keyframe)
    known = ", ".join(n or str(i) for i, n in enumerate(names)) or "none"
    raise Problem(f"the model has no keyframe '{keyframe}' (it has: {known})")


def keyframe_names(m: corten.Model) -> list[str]:
    """Names of the keyframes in order; empty where one has no name."""
    return m.names.as_dict()["key"]
