"""The one exception of this package."""


class MeshError(ValueError):
    """A mesh or height field that cannot be read or has no valid mass properties; the message says what and where."""
