"""Where model files and assets come from, and how their XML becomes a safe element tree.

Models come from strangers. Nothing is fetched, no entity is expanded, and size and depth are bounded.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lxml import etree

from corten.mjcf.errors import MjcfError

MAX_BYTES = 256 * 2**20
MAX_DEPTH = 500

_SKIPPED = re.compile(r"<!\[CDATA\[.*?\]\]>|<!--.*?-->", re.DOTALL)
_DECLARATION = re.compile(r"\s*<\?xml[^>]*\?>")
_PLAIN_DOCTYPE = re.compile(r"<!DOCTYPE\s+\w+\s*>")
_TEXT = re.compile(r"<text\s[^<>]*>")
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
_BARE_AMPERSAND = re.compile(r"&(?![#\w]+;)")
_DECLARED = re.compile(r"<!(DOCTYPE|ENTITY)\b")


@dataclass(slots=True)
class Files:
    """Finds files by name: first among the assets given in memory, then on disk below `directory`."""

    directory: Path = Path()
    assets: Mapping[str, bytes | str] = field(default_factory=dict)

    def read(self, path: str) -> bytes | None:
        """The content of `path`, relative to the model's directory, or None where there is no such file."""
        for key in (path, os.path.normpath(path).replace(os.sep, "/"), Path(path).name):
            if key in self.assets:
                content = self.assets[key]
                return content.encode() if isinstance(content, str) else bytes(content)
        try:
            full = self.directory / path
            if full.is_file() and full.stat().st_size <= MAX_BYTES:
                return full.read_bytes()
        except (OSError, ValueError):
            # names that the system cannot even ask for, with a null character for example
            return None
        return None


def parse_xml(content: bytes | str, file: str) -> etree._Element:
    """The root element of an XML text.

    Comments are blanked beforehand, because files in the wild have double hyphens in them, which strict XML forbids;
    ampersands that begin nothing stand for themselves, and so do line breaks and tabs in the data of a <text>.
    """
    if len(content) > MAX_BYTES:
        raise MjcfError(f"is larger than {MAX_BYTES // 2**20} MB", file)
    text = content.decode("utf-8-sig", errors="replace") if isinstance(content, bytes) else content
    text = _SKIPPED.sub(_blank_comment, text.rstrip("\0"))
    text = _DECLARATION.sub(lambda match: "\n" * match.group().count("\n"), text, count=1)
    text = _PLAIN_DOCTYPE.sub("", text, count=1)
    if declared := _DECLARED.search(text):
        line = text.count("\n", 0, declared.start()) + 1
        raise MjcfError("document type and entity declarations are not allowed", file, line)
    text = _BARE_AMPERSAND.sub("&amp;", text)
    text = _TEXT.sub(_keep_lines, text)
    # the parser's own limit of 256 levels is below what models may have, so it is lifted to 2048; the limits that go
    # with it, on entities and on size, are kept by refusing the former and bounding the latter above
    parser = etree.XMLParser(
        encoding="utf-8", resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True, remove_pis=True
    )
    try:
        root = etree.fromstring(text.encode("utf-8", errors="replace"), parser)
    except etree.XMLSyntaxError as error:
        message = (error.msg or "not XML").split(", line")[0]
        raise MjcfError(f"invalid XML: {message}", file, error.lineno or 1) from None
    if root is None:
        raise MjcfError("invalid XML: no element found", file, 1)
    return root


def _keep_lines(match: re.Match[str]) -> str:
    """A tag with its quoted line breaks and tabs as references; the breaks follow it, so that lines keep their numbers.
    """
    tag = match.group()
    escaped = _QUOTED.sub(lambda quoted: _escaped(quoted.group()), tag)
    return escaped + "\n" * (tag.count("\n") - escaped.count("\n"))


def _escaped(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\n", "&#10;").replace("\t", "&#9;")


def _blank_comment(match: re.Match[str]) -> str:
    text = match.group()
    return text if text.startswith("<![") else "\n" * text.count("\n")
