"""Sizes of memory, files and disks as people write them: 48 KiB, 1.25 MiB, 1G."""

import re

_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")
_WRITTEN = re.compile(r"([0-9]{1,12})\s*(?:([kKmMgGtT])(?:i?[bB])?)?")
_FACTORS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


def size_text(size_bytes: int) -> str:
    """Return a size in its largest unit: "1.25 MiB"."""
    place = 0
    while place + 1 < len(_UNITS) and size_bytes >= 1024 ** (place + 1):
        place += 1
    return f"{size_bytes / 1024**place:.4g} {_UNITS[place]}"


def parse_size(text: str) -> int | None:
    """Return the bytes of "4096", "48K", "48 KiB" or "1g"; None where it is no size."""
    found = _WRITTEN.fullmatch(text.strip())
    return int(found[1]) * _FACTORS[(found[2] or "").lower()] if found else None
