"""Untrusted names as text that is safe to print on a terminal and to show on a page."""

import unicodedata

MAX_NAME_LENGTH = 4096
_REPLACED_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
_NOT_IN_XML = dict.fromkeys((0xFFFE, 0xFFFF), "\ufffd")


def printable(name: bytes | str) -> str:
    """Return a name, decoded with replacement; control and direction characters become U+FFFD."""
    prefix = name[:MAX_NAME_LENGTH]
    text = prefix.decode("utf-8", "replace") if isinstance(prefix, bytes) else prefix
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        "\N{REPLACEMENT CHARACTER}"
        if unicodedata.category(character) in _REPLACED_CATEGORIES
        else character
        for character in text
    )


def visible_text(text: str, limit: int = MAX_NAME_LENGTH) -> str:
    """Return ``text`` as ``printable`` does, valid in XML and shortened to ``limit`` characters.

    The number of characters cut off is appended.
    """
    limit = min(limit, MAX_NAME_LENGTH)
    if len(text) <= limit and text.isascii() and text.isprintable():
        return text  # nearly all names; a profile may have 250,000
    cut = len(text) - limit
    visible = printable(text[:limit]).translate(_NOT_IN_XML)
    return f"{visible}\u2026 (+{cut} characters)" if cut > 0 else visible
