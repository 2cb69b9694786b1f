"""What a row of the grammar is: attributes with their types, elements with their attributes and children.

Everything else about the language follows from the rows: how a text becomes a value, what an error says, what a default
class may hold, and the attribute reference in the docs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from corten.mjcf.errors import did_you_mean

HONOURED = "honoured"
DRAWING = "accepted, without effect: it only matters for drawing"
TOOLING = "accepted, without effect: it only matters for saving or for the compiler's speed"
MEMORY = "accepted, without effect: memory grows on demand"

INT_LIMIT = 2**31


class BadValue(ValueError):
    """The text of an attribute is not a value of its type; the message says what was expected and found."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute of an element.

    A numeric attribute takes `least` to `most` values (`most` None: any number) and is a scalar when both are 1. Where
    fewer than `most` are given, the rest is inherited. `inheritable` says whether a default class may hold it.
    """

    name: str
    type: str
    doc: str
    read: Callable[[str], Any]
    default: Any = None
    least: int = 1
    most: int | None = 1
    keywords: Mapping[str, int] | None = None
    effect: str = HONOURED
    inheritable: bool = True
    required: bool = False

    @property
    def overlays(self) -> bool:
        """Whether a shorter list of values replaces only the head of the inherited one."""
        return self.type in ("real", "int") and self.most is not None and self.least < self.most


@dataclass(slots=True)
class Rule:
    """One element: what it may say and hold.

    `most` bounds how often a parent may hold it. `refused` names an element that is known and not supported.
    `exclusive` lists groups of attributes of which at most one may be given, `required_one` groups of which one must.
    """

    tag: str
    doc: str
    attributes: dict[str, Attribute] = field(default_factory=dict)
    children: dict[str, Rule] = field(default_factory=dict)
    most: int | None = None
    refused: str = ""
    exclusive: tuple[tuple[str, ...], ...] = ()
    required_one: tuple[tuple[str, ...], ...] = ()
    together: tuple[tuple[str, ...], ...] = ()
    defaults: dict[str, Any] = field(default_factory=dict)
    overlays: frozenset[str] = frozenset()
    required: tuple[str, ...] = ()


def rule(
    tag: str,
    doc: str,
    *attributes: Attribute,
    children: Iterable[Rule] = (),
    most: int | None = None,
    refused: str = "",
    exclusive: tuple[tuple[str, ...], ...] = (),
    required_one: tuple[tuple[str, ...], ...] = (),
    together: tuple[tuple[str, ...], ...] = (),
) -> Rule:
    """A row of the table, with what is looked up often precomputed."""
    return Rule(
        tag,
        doc,
        {a.name: a for a in attributes},
        {c.tag: c for c in children},
        most,
        refused,
        exclusive,
        required_one,
        together,
        {a.name: a.default for a in attributes if a.default is not None},
        frozenset(a.name for a in attributes if a.overlays),
        tuple(a.name for a in attributes if a.required),
    )


def _float(word: str) -> float:
    value = _any_number(word)
    if not math.isfinite(value):
        raise BadValue(f"'{word}' is not a finite number")
    return value


def _bound(word: str) -> float:
    value = _any_number(word)
    if math.isnan(value):
        raise BadValue(f"'{word}' is not a finite number")
    return value


def _any_number(word: str) -> float:
    # Python reads 1_000 and digits of all scripts, which no other reader of MJCF does
    if "_" in word or not word.isascii():
        raise BadValue(f"'{word}' is not a number")
    try:
        value = float.fromhex(word) if "x" in word or "X" in word else float(word)
    except ValueError:
        raise BadValue(f"'{word}' is not a number") from None
    except OverflowError:
        value = math.inf
    # an overflow is not an infinity that somebody meant
    if math.isinf(value) and any(c.isdigit() for c in word):
        raise BadValue(f"'{word}' is not a finite number")
    return value


def _int(word: str) -> int:
    try:
        value = int(word)
    except ValueError:
        raise BadValue(f"'{word}' is not an integer") from None
    if "_" in word or not -INT_LIMIT <= value < INT_LIMIT:
        raise BadValue(f"'{word}' is not a 32-bit integer")
    return value


def _list_reader(one: Callable[[str], Any], noun: str, least: int, most: int | None) -> Callable[[str], Any]:
    if least == most == 1:

        def read_scalar(text: str) -> Any:
            words = text.split()
            if len(words) != 1:
                raise BadValue(f"expected one {noun}, got '{text}'")
            return one(words[0])

        return read_scalar

    span = f"{least}" if least == most else f"{least} to {most}" if most is not None else f"at least {least}"

    def read_list(text: str) -> Any:
        words = text.split()
        if len(words) < least or (most is not None and len(words) > most):
            raise BadValue(f"expected {span} {noun}s, got {len(words)}")
        return tuple(map(one, words))

    return read_list


def _span(size: int | tuple[int, int | None]) -> tuple[int, int | None]:
    return (size, size) if isinstance(size, int) else size


def real(name: str, doc: str, default: Any = None, size: int | tuple[int, int | None] = 1, **more: Any) -> Attribute:
    """Finite real numbers; `size` is how many, or a range of how many."""
    least, most = _span(size)
    return Attribute(name, "real", doc, _list_reader(_float, "number", least, most), default, least, most, **more)


def bounds(name: str, doc: str, default: Any = None, **more: Any) -> Attribute:
    """A lower and an upper bound, which may be infinite."""
    return Attribute(name, "real", doc, _list_reader(_bound, "number", 2, 2), default, 2, 2, **more)


def numbers(name: str, doc: str, default: Any = None, least: int = 0, **more: Any) -> Attribute:
    """Any number of values without a meaning to the engine, infinities and NaN among them."""
    return Attribute(name, "real", doc, _list_reader(_any_number, "number", least, None), default, least, None, **more)


def integer(name: str, doc: str, default: Any = None, size: int | tuple[int, int | None] = 1, **more: Any) -> Attribute:
    """Integers; `size` is how many, or a range of how many."""
    least, most = _span(size)
    return Attribute(name, "int", doc, _list_reader(_int, "integer", least, most), default, least, most, **more)


def keyword(name: str, doc: str, keywords: Mapping[str, int], default: Any = None, **more: Any) -> Attribute:
    """One word of a set; the value is the number that the word stands for."""

    def read(text: str) -> int:
        value = keywords.get(text)
        if value is None:
            allowed = ", ".join(keywords)
            raise BadValue(f"'{text}' is not one of {allowed}{did_you_mean(text, keywords)}")
        return value

    return Attribute(name, "keyword", doc, read, default, keywords=keywords, **more)


def keywords(name: str, doc: str, words: Mapping[str, int], default: Any = None, **more: Any) -> Attribute:
    """Several words of a set, as the tuple of their numbers."""

    def read(text: str) -> tuple[int, ...]:
        for word in text.split():
            if word not in words:
                raise BadValue(f"'{word}' is not one of {', '.join(words)}{did_you_mean(word, words)}")
        return tuple(words[word] for word in text.split())

    return Attribute(name, "keywords", doc, read, default, 1, None, keywords=words, **more)


BOOL = {"false": 0, "true": 1}


def boolean(name: str, doc: str, default: Any = None, **more: Any) -> Attribute:
    """`true` or `false`, as 1 or 0."""
    return replace(keyword(name, doc, BOOL, default, **more), type="bool")


def text(name: str, doc: str, default: Any = None, **more: Any) -> Attribute:
    """Any text."""
    return Attribute(name, "text", doc, str, default, **more)


def file(name: str, doc: str, **more: Any) -> Attribute:
    """A path, relative to the model file or to the asset directories."""
    return Attribute(name, "file", doc, str, **more)


def identifier(doc: str = "name, unique among its kind") -> Attribute:
    """The name that an element gives itself."""
    return Attribute("name", "name", doc, str, inheritable=False)


def reference(name: str, doc: str, **more: Any) -> Attribute:
    """The name of another object."""
    return Attribute(name, "reference", doc, str, **more)


def own(*attributes: Attribute) -> tuple[Attribute, ...]:
    """The same attributes, but not for default classes."""
    return tuple(replace(a, inheritable=False) for a in attributes)


def repeated(attribute: Attribute) -> Attribute:
    """The same attribute, but a single value stands for all of them instead of replacing the first."""
    read, most = attribute.read, attribute.most

    def read_repeated(text: str) -> Any:
        values = read(text)
        return values * most if len(values) == 1 else values

    return replace(attribute, read=read_repeated)


def with_effect(effect: str, *attributes: Attribute) -> tuple[Attribute, ...]:
    """The same attributes, accepted without effect for the given reason."""
    return tuple(replace(a, effect=effect) for a in attributes)


def inherited_rule(primary: Rule, tag: str | None = None) -> Rule:
    """The row of an element inside a default class: its inheritable attributes, and nothing required."""
    kept = [replace(a, required=False) for a in primary.attributes.values() if a.inheritable]
    return rule(tag or primary.tag, primary.doc, *kept, children=primary.children.values(), most=1,
                exclusive=primary.exclusive)
