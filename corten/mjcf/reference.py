"""The attribute reference of the docs, printed from the grammar: `python -m corten.mjcf.reference > docs/mjcf.md`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from corten.mjcf.grammar import MUJOCO, Attribute, Rule
from corten.mjcf.grammar.rules import HONOURED
from corten.mjcf.grammar.sections import DEFAULT

HEADER = """# MJCF as Corten reads it

This page is printed from the grammar by `python -m corten.mjcf.reference`; do not edit it.

Corten reads the language of MuJoCo 3.5. Numbers are finite and separated by blanks; `n..m` values means that fewer than
`m` may be given and the rest is inherited. A default class may hold every attribute marked with a star. What is
accepted without effect is checked all the same. `sor`, `strict`, the `distance` equality and the integrator
`implicitspringdamper` are Corten's own.
"""

# elements that inherit from the row of another one
_SHARED_TAGS = {
    "spatial": "tendon", "fixed": "tendon", "connect": "equality", "weld": "equality", "distance": "equality"
}


def render() -> str:
    """The page."""
    lines = [HEADER]
    for path, rule, shared in _elements():
        lines += _element(path, rule, shared)
    return "\n".join(lines)


def _elements() -> Iterator[tuple[str, Rule, tuple[Attribute, ...]]]:
    """Every element once, with its path and the attributes that its section has described already."""
    seen: set[int] = set()
    pending: list[tuple[str, Rule, tuple[Attribute, ...]]] = [("mujoco", MUJOCO, ())]
    while pending:
        path, rule, shared = pending.pop(0)
        if id(rule) in seen:
            continue
        seen.add(id(rule))
        yield path, rule, shared
        if rule is not DEFAULT:
            common = tuple(_common(rule))
            prefix = "" if rule is MUJOCO else f"{rule.tag}/"
            pending += [(prefix + tag, child, common) for tag, child in rule.children.items()]


def _common(rule: Rule) -> list[Attribute]:
    """Attributes that most children of a section have, told once for all of them."""
    children = [child for child in rule.children.values() if not child.refused]
    if len(children) < 2 or rule is MUJOCO:
        return []
    known = {name: attribute for child in children for name, attribute in child.attributes.items()}
    return [a for n, a in known.items() if 2 * sum(_same(a, c.attributes.get(n)) for c in children) > len(children)]


def _same(a: Attribute, b: Attribute | None) -> bool:
    return b is not None and (a.doc, a.type, a.default, a.least, a.most) == (b.doc, b.type, b.default, b.least, b.most)


def _element(path: str, rule: Rule, shared: tuple[Attribute, ...]) -> Iterator[str]:
    yield f"## {path}\n"
    yield _sentence(rule.doc) + (f" Refused: {rule.refused}." if rule.refused else "") + "\n"
    if rule.refused:
        return
    for names in rule.exclusive:
        yield f"At most one of {_code(names)}.\n"
    for names in rule.required_one:
        yield f"One of {_code(names)} is needed.\n"
    for names in rule.together:
        yield f"{_code(names)} go together.\n"
    if rule.children:
        yield f"Holds {_code(sorted(rule.children))}.\n"
    told = {attribute.name for attribute in shared if _same(attribute, rule.attributes.get(attribute.name))}
    own = [attribute for attribute in rule.attributes.values() if attribute.name not in told]
    if missing := [attribute.name for attribute in shared if attribute.name not in rule.attributes]:
        yield f"Does not take {_code(missing)}.\n"
    without_effect = own and all(attribute.effect == own[0].effect != HONOURED for attribute in own)
    if without_effect:
        yield f"{_sentence(own[0].effect)} {_code(attribute.name for attribute in own)}.\n"
    elif own:
        yield from _table(rule.tag, own)
    if rule is DEFAULT:
        for child in rule.children.values():
            if child is not rule:
                yield f"- `{child.tag}` takes {_code(child.attributes)}."
        yield ""
    elif common := _common(rule):
        yield "They take, where their own section does not say otherwise:\n"
        yield from _table(next(iter(rule.children)), common)


def _table(tag: str, attributes: Iterable[Attribute]) -> Iterator[str]:
    inherited = DEFAULT.children.get(_SHARED_TAGS.get(tag, tag))
    yield "| attribute | value | default | meaning |"
    yield "| --- | --- | --- | --- |"
    for attribute in attributes:
        star = "*" if inherited is not None and attribute.name in inherited.attributes else ""
        yield _row(attribute, star)
    yield ""


def _row(attribute: Attribute, star: str) -> str:
    meaning = _sentence(attribute.doc)
    if attribute.effect != HONOURED:
        meaning += f" {_sentence(attribute.effect)}"
    return f"| `{attribute.name}`{star} | {_type(attribute)} | {_default(attribute)} | {meaning} |"


def _type(attribute: Attribute) -> str:
    if attribute.keywords is not None:
        words = _code(attribute.keywords)
        return f"any of {words}" if attribute.type == "keywords" else words
    if attribute.type not in ("real", "int"):
        return attribute.type
    if attribute.most is None:
        count = "any number of "
    elif attribute.least == attribute.most:
        count = "" if attribute.most == 1 else f"{attribute.most} "
    else:
        count = f"{attribute.least}..{attribute.most} "
    return f"{count}{attribute.type}"


def _default(attribute: Attribute) -> str:
    value = attribute.default
    if attribute.required:
        return "required"
    if value is None or value == ():
        return ""
    if attribute.keywords is not None:
        words = {number: word for word, number in attribute.keywords.items()}
        return _code([words[v] for v in (value if isinstance(value, tuple) else (value,))])
    values = value if isinstance(value, tuple) else (value,)
    return f"`{' '.join(f'{v:g}' if isinstance(v, (int, float)) else str(v) for v in values)}`"


def _code(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "."


if __name__ == "__main__":
    print(render(), end="")
