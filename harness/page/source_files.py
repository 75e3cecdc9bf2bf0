"""Style sheets, scripts and templates of a package."""

from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec
from pathlib import Path


def sources(package: str, names: Iterable[str]) -> str:
    """Return the named source files of a package, joined in order."""
    root = _folder(package)
    return "\n".join((root / name).read_text(encoding="utf-8").strip() for name in names)


@cache
def _folder(package: str) -> Path:
    """Return the folder of a package: importlib.resources imports zipfile and tempfile for it."""
    spec = find_spec(package)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent
