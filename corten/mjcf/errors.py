"""The one error that a wrong model file gives: where it is, what is wrong, and what was perhaps meant; and warnings."""

from __future__ import annotations

from corten.kernel.errors import did_you_mean as did_you_mean  # of this package too


class MjcfError(ValueError):
    """Something in a model file is wrong or not supported.

    The text reads `humanoid.xml:42: <joint> has no attribute 'dampng' (did you mean 'damping'?)`; the parts are also
    attributes, for editors and tests.
    """

    def __init__(
        self, message: str, file: str = "", line: int = 0, element: str = "", attribute: str = ""
    ) -> None:
        self.message = message
        self.file = file
        self.line = line
        self.element = element
        self.attribute = attribute
        super().__init__(located(message, file, line, element))

    def __reduce__(self) -> tuple[type[MjcfError], tuple[str, str, int, str, str]]:
        return MjcfError, (self.message, self.file, self.line, self.element, self.attribute)


class MjcfWarning(UserWarning):
    """Something in a model file is allowed but can hardly be meant; the text is that of an MjcfError."""


def located(message: str, file: str, line: int, element: str) -> str:
    """A message with its place before it."""
    where = f"{file}:{line}: " if line else f"{file}: " if file else ""
    subject = f"<{element}> " if element else ""
    return f"{where}{subject}{message}"
