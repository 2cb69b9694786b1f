"""The grammar holds the reference's whole schema, and the docs hold the grammar."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from corten.mjcf.grammar import MUJOCO, Rule
from corten.mjcf.grammar.rules import HONOURED
from corten.mjcf.grammar.tree import BODY
from corten.mjcf.reference import render

OURS = {("option",): {"sor", "strict"}}
ROW = re.compile(
    r'class="el">((?:&nbsp;)*)([^<]*)</td>\s*<td class="ty">(.)</td>\s*<td class="at">(.*?)</td>', re.DOTALL
)


def _schema() -> list[tuple[tuple[str, ...], str, set[str]]]:
    """Path, multiplicity and attributes of each element of the reference's schema."""
    import mujoco

    path: list[str] = []
    rows = []
    for indent, name, multiplicity, attributes in ROW.findall(mujoco.mj_printSchema(True, False)):
        path = [*path[:indent.count("&nbsp;") // 4], "body" if "body" in name else name]
        names = set() if "no attributes" in attributes else set(attributes.split())
        rows.append((tuple(path[1:]), multiplicity, names))
    return rows


def _find(path: tuple[str, ...]) -> Rule | None:
    rule = MUJOCO
    for tag in path:
        if rule.refused:
            return None
        assert tag in rule.children, f"{'/'.join(path)} is not in the grammar"
        rule = rule.children[tag]
    return None if rule.refused else rule


@pytest.mark.reference
@pytest.mark.plain
def test_schema_is_complete() -> None:
    checked = 0
    for path, multiplicity, names in _schema():
        rule = BODY if path == ("body",) else _find(path)
        if rule is None:
            continue
        assert set(rule.attributes) == names | OURS.get(path, set()), path
        assert (rule.most == 1) == (multiplicity == "?"), path
        checked += 1
    assert checked > 130


def _all_rules() -> list[Rule]:
    found: dict[int, Rule] = {}
    pending = [MUJOCO]
    while pending:
        rule = pending.pop()
        if id(rule) not in found:
            found[id(rule)] = rule
            pending += rule.children.values()
    return list(found.values())


@pytest.mark.plain
def test_every_attribute_has_a_meaning_and_a_reason_where_it_has_no_effect() -> None:
    for rule in _all_rules():
        assert rule.doc
        for attribute in rule.attributes.values():
            assert attribute.doc, (rule.tag, attribute.name)
            assert attribute.effect == HONOURED or attribute.effect.startswith("accepted"), (rule.tag, attribute.name)


@pytest.mark.plain
def test_defaults_are_values_of_their_attributes() -> None:
    for rule in _all_rules():
        for attribute in rule.attributes.values():
            if attribute.default in (None, ()) or attribute.type == "text":
                continue
            values = attribute.default if isinstance(attribute.default, tuple) else (attribute.default,)
            if attribute.keywords is not None:
                assert set(values) <= set(attribute.keywords.values()), (rule.tag, attribute.name)
            else:
                text = " ".join(map(repr, values))
                assert attribute.read(text) == attribute.default, (rule.tag, attribute.name)


@pytest.mark.plain
def test_docs_are_up_to_date() -> None:
    page = Path(__file__).parent.parent / "docs" / "mjcf.md"
    assert page.read_text(encoding="utf-8") == render(), "run: python -m corten.mjcf.reference > docs/mjcf.md"
