"""The licence that a Python package declares."""

from importlib.metadata import PackageMetadata


def declared_licence(metadata: PackageMetadata) -> str:
    """Return the first line of the licence in a package's metadata; empty if there is none."""
    for name in ("License-Expression", "License"):
        text = metadata[name].strip() if name in metadata else ""
        if text:
            return text.splitlines()[0].strip()
    return ""
