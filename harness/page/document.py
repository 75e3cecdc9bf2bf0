"""One self-contained HTML file: inline style and script, allowed by hash in its own policy.

Pages and their parts are Jinja2 templates with autoescape, which stand beside their module. What a
template returned is ``Markup``; every other value is escaped.
"""

import base64
import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup
from msgspec import Struct, field

import stallscope
from stallscope.printable import visible_text

# Characters that would end a script element or a line of script, as escapes of JSON.
_JSON_ESCAPES = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}
_LONGEST_TEXT = 300


class Document(Struct, frozen=True):
    """A page: ``template`` is "package/file.html", ``values`` are what it shows.

    The template extends "harness.page/base.html".
    """

    template: str
    title: str
    style: str
    values: Mapping[str, object]
    script: str = ""
    data: Mapping[str, object] = field(default_factory=dict)  # read by the script


def json_for_script(value: object) -> str:
    """Return a value as JSON that cannot end the script element around it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.translate(_JSON_ESCAPES)


def sources(package: str, names: Iterable[str]) -> str:
    """Return the named source files of a package, joined in order."""
    root = _folder(package)
    return "\n".join((root / name).read_text(encoding="utf-8").strip() for name in names)


def _folder(package: str) -> Path:
    """Return the folder of a package: importlib.resources imports zipfile and tempfile for it."""
    spec = find_spec(package)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


def render(document: Document) -> str:
    """Return the page as text, to be written as UTF-8."""
    policy = "; ".join(
        [
            "default-src 'none'",
            f"script-src {_hash(document.script)}",
            f"style-src {_hash(document.style)}",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    return (
        _environment()
        .get_template(document.template)
        .render(
            document.values,
            policy=Markup(policy),  # noqa: S704 - hashes and fixed words
            page_title=document.title,
            style=Markup(document.style),  # noqa: S704 - our own files
            script=Markup(document.script),  # noqa: S704
            data=Markup(json_for_script(document.data)),  # noqa: S704 - escaped for a script element
            footer=f"Made by stallscope {stallscope.__version__}. Nothing here was fetched.",
        )
    )


def fragment(template: str, **values: object) -> Markup:
    """Return the markup of a part of a page; ``template`` is "package/file.html"."""
    return Markup(_environment().get_template(template).render(values))  # noqa: S704 - escaped there


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FunctionLoader(_template_source),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["visible"] = _visible
    return environment


def _visible(text: str, longest: int = _LONGEST_TEXT) -> str:
    return visible_text(text, longest)


def _template_source(name: str) -> str:
    package, _, file = name.partition("/")
    return sources(package, (file,))


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
