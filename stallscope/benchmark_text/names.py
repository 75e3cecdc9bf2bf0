"""Parts of a benchmark's name: ``Sort/n=100/kind=rand-8``.

The base name is ``Sort``, the parts are ``/n=100``, ``/kind=rand`` and ``-8`` (GOMAXPROCS).
"""

from collections.abc import Collection


def split_gomaxprocs(name: str) -> tuple[str, str]:
    """Return the name without its suffix ``-N``, and the suffix, which may be empty."""
    stem = name.rstrip("0123456789")
    if stem != name and stem.endswith("-"):
        return stem[:-1], name[len(stem) - 1 :]
    return name, ""


def base_name(name: str) -> str:
    """Return the name up to the first slash, without ``-N``."""
    slash = name.find("/")
    return name[:slash] if slash >= 0 else split_gomaxprocs(name)[0]


def name_parts(name: str) -> tuple[str, list[str]]:
    """Return the base name and the parts, each with its leading slash or hyphen."""
    stem, gomaxprocs = split_gomaxprocs(name)
    base, *others = stem.split("/")
    parts = [f"/{part}" for part in others]
    return base, [*parts, gomaxprocs] if gomaxprocs else parts


def part_value(name: str, key: str) -> str:
    """Return the value of a part such as ``/size``; empty if there is none.

    ``/gomaxprocs`` is also the number after the last hyphen.
    """
    parts = name_parts(name)[1]
    if key == "/gomaxprocs" and parts and parts[-1].startswith("-"):
        return parts[-1][1:]
    prefix = f"{key}="
    return next((part[len(prefix) :] for part in parts if part.startswith(prefix)), "")


def name_without(name: str, excluded: Collection[str]) -> str:
    """Return the full name without the parts of the excluded keys; ``.name`` becomes ``*``."""
    prefixes = tuple(f"{key}=" for key in excluded if key.startswith("/"))
    without_base = ".name" in excluded
    without_gomaxprocs = "/gomaxprocs" in excluded
    changed = without_base or any(prefix in name for prefix in prefixes)
    if not changed and not (without_gomaxprocs and "-" in name):
        return name
    base, parts = name_parts(name)
    kept = [
        part
        for part in parts
        if not (prefixes and part.startswith(prefixes))
        and not (without_gomaxprocs and part.startswith("-"))
    ]
    return ("*" if without_base else base) + "".join(kept)
