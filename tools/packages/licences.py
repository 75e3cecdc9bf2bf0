"""The licence that a Python package declares."""

from importlib.metadata import PackageMetadata


def declared_licence(metadata: PackageMetadata) -> str:
    """Return the licence in a package's metadata, or in its classifiers; empty if there is none."""
    for name in ("License-Expression", "License"):
        text = metadata[name].strip() if name in metadata else ""
        if text:
            return text.splitlines()[0].strip()
    classifiers = [
        text.split(" :: ")[-1]
        for text in metadata.get_all("Classifier") or []
        if text.startswith("License :: ") and text.count(" :: ") > 1
    ]
    return " AND ".join(classifiers)
