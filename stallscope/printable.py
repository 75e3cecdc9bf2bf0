"""Names of strangers as text: what a terminal or a page may be fooled by is made visible."""

import unicodedata

_REPLACED = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
NAME_AT_MOST = 4096


def printable(name: bytes | str) -> str:
    """Return a name, decoded with replacement; control and direction characters become U+FFFD."""
    taken = name[:NAME_AT_MOST]
    text = taken.decode("utf-8", "replace") if isinstance(taken, bytes) else taken
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        "\N{REPLACEMENT CHARACTER}" if unicodedata.category(letter) in _REPLACED else letter
        for letter in text
    )
