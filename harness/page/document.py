"""One self-contained HTML file: inline style and script named by hash in its own policy."""

import base64
import hashlib
import html
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import resources

# What would end a script element or a line of script, written so that JSON reads the same.
_JSON_ESCAPES = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}


@dataclass(frozen=True, slots=True)
class Document:
    """The parts of a page; ``body`` is trusted markup, everything in it escaped already."""

    title: str
    style: str
    body: str
    data: Mapping[str, object]
    script: str


def escaped(text: str) -> str:
    """``text`` for markup, in an element or a quoted attribute."""
    return html.escape(text, quote=True)


def json_for_script(value: object) -> str:
    """``value`` as JSON that cannot end the script element it stands in."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.translate(_JSON_ESCAPES)


def sources(package: str, names: Iterable[str]) -> str:
    """Return the named source files of a package, joined in order."""
    root = resources.files(package)
    return "\n".join((root / name).read_text(encoding="utf-8").strip() for name in names)


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def render(document: Document) -> str:
    """The page, as text to be written in UTF-8."""
    policy = "; ".join(
        [
            "default-src 'none'",
            f"script-src {_hash(document.script)}",
            f"style-src {_hash(document.style)}",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>{escaped(document.title)}</title>
<style>{document.style}</style>
</head>
<body>
{document.body}
<script type="application/json" id="profile">{json_for_script(document.data)}</script>
<script>{document.script}</script>
</body>
</html>
"""
