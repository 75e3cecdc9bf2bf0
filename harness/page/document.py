"""One self-contained HTML file: inline style and script, allowed by hash in its own policy.

Pages and their parts are Jinja2 templates with autoescape, which stand beside their module. What a
template returned is ``Markup``; every other value is escaped.
"""

import base64
import hashlib
import json
import re
from collections.abc import Mapping

from markupsafe import Markup
from msgspec import Struct, field

import stallscope
from harness.page.templates import installed_environment

# Characters that would end a script element or a line of script, as escapes of JSON.
_JSON_ESCAPES = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}
# Attributes with ids of templates. Texts of a template have no quotes, because these are escaped.
_IDS = re.compile(r'( (?:id|for|aria-labelledby|aria-describedby|aria-controls)="|href="#|url\(#)')


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
        installed_environment()
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
    return Markup(installed_environment().get_template(template).render(values))  # noqa: S704 - escaped there


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def with_prefixed_ids(markup: Markup, prefix: str) -> Markup:
    """Return markup whose ids, and references to them, begin with a prefix.

    Several pages' panels become parts of one page this way. A list of ids in one attribute gets the
    prefix once, so that templates name one.
    """
    return Markup(_IDS.sub(rf"\g<1>{prefix}-", str(markup)))  # noqa: S704 - it was markup before
