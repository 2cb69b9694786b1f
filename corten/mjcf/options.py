"""Settings of a file: sections of the same name are read in order, later ones win."""

from __future__ import annotations

from typing import Any

from corten.mjcf.defaults import overlaid
from corten.mjcf.grammar.settings import COMPILER, FLAG, LENGTHRANGE, OPTION, SIZE, STATISTIC
from corten.mjcf.read import Element
from corten.mjcf.spec import MAX_NUMBERS, Settings
from corten.model.enums import DisableBit, EnableBit

_SUFFIXES = " KMGTPE"
_FLAGS = {bit.name.lower(): bit for bit in (*DisableBit, *EnableBit)}


def merged(root: Element, tag: str, defaults: dict[str, Any]) -> dict[str, Any]:
    """The attributes of all sections with this tag."""
    values = dict(defaults)
    for section in root.all(tag):
        values = overlaid(values, section.attributes, section.rule)
    return values


def read_settings(root: Element, directory: str) -> Settings:
    """The <compiler> sections."""
    said = merged(root, "compiler", {})
    if said.get("coordinate"):
        next(root.all("compiler")).fail("global coordinates are no longer supported", "coordinate")
    values = {**COMPILER.defaults, **said}
    sequence = values["eulerseq"]
    if len(sequence) != 3 or any(letter not in "xyzXYZ" for letter in sequence):
        next(root.all("compiler")).fail(f"'{sequence}' is not three letters of xyzXYZ", "eulerseq")
    lengthrange = dict(LENGTHRANGE.defaults)
    for section in root.all("compiler"):
        for inner in section.all("lengthrange"):
            lengthrange.update(inner.attributes)
    kept = {name: values[name] for name in Settings.__dataclass_fields__ if name in values}
    kept["meshdir"] = said.get("meshdir", said.get("assetdir", ""))
    return Settings(**kept, lengthrange=lengthrange, directory=directory)


def read_options(root: Element) -> dict[str, Any]:
    """The <option> sections, flags and groups of actuators as bits."""
    values = merged(root, "option", OPTION.defaults)
    disabled = 0
    for section in root.all("option"):
        for group in section.attributes.get("actuatorgroupdisable", ()):
            if not 0 <= group <= 30:
                section.fail(f"group {group} is not between 0 and 30", "actuatorgroupdisable")
            disabled |= 1 << group
    values["disableactuator"] = disabled
    flags = dict(FLAG.defaults)
    for section in root.all("option"):
        for inner in section.all("flag"):
            flags.update(inner.attributes)
    values["disableflags"] = sum(_FLAGS[n] for n, on in flags.items() if isinstance(_FLAGS[n], DisableBit) and not on)
    values["enableflags"] = sum(_FLAGS[n] for n, on in flags.items() if isinstance(_FLAGS[n], EnableBit) and on)
    return values


def read_sizes(root: Element) -> dict[str, Any]:
    """The <size> sections."""
    for section in root.all("size"):
        for name, value in section.attributes.items():
            if name != "memory" and not -1 <= value <= MAX_NUMBERS:
                section.fail(f"must be between -1 and {MAX_NUMBERS}", name)
        if "memory" in section.attributes:
            _check_memory(section)
    return merged(root, "size", SIZE.defaults)


def _check_memory(section: Element) -> None:
    text = section.attributes["memory"].strip()
    suffix = text[-1:].upper() if text[-1:].isalpha() else ""
    number = text[:len(text) - len(suffix)]
    unit = 1024 ** (_SUFFIXES.find(suffix) if suffix else 0)
    valid = number.isascii() and number.isdigit() and len(number) <= 20 and suffix in _SUFFIXES
    if text != "-1" and not (valid and int(number) * unit < 2**64):
        section.fail(f"'{text}' is not a number of bytes with an optional suffix K, M, G, T, P or E", "memory")


def read_statistic(root: Element) -> dict[str, Any]:
    """The <statistic> sections: only what they say."""
    values = merged(root, "statistic", STATISTIC.defaults)
    if values.get("extent", 1.0) <= 0:
        next(root.all("statistic")).fail("must be positive", "extent")
    return values


def read_znear(root: Element) -> float:
    """The near plane, which a camera without a sensor takes as focal length."""
    znear = 0.01
    for section in root.all("visual"):
        for inner in section.children:
            znear = inner.attributes.get("znear", znear)
            for name in ("znear", "realtime"):
                if inner.attributes.get(name, 1.0) <= 0:
                    inner.fail("must be positive", name)
    return znear
