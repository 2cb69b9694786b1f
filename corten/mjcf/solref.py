"""References of constraints that mean nothing, which are allowed and replaced while simulating."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from corten.mjcf.spec import Item

ATTRIBUTES = ("solref", "solreflimit", "solreffriction")


def warn_of_mixed_signs(objects: Mapping[str, Iterable[Item]]) -> None:
    """Warn of pairs of numbers that are neither a time constant with a damping ratio nor a stiffness with a damping."""
    for items in objects.values():
        for item in items:
            for name in ATTRIBUTES:
                if name in item.values:
                    first, second = item.values[name]
                    if (first > 0) != (second > 0):
                        message = f"{first:g} and {second:g} have different signs, the default is used instead"
                        item.element.warn(message, name)
