"""A picture by matplotlib as a part of a page.

A page's content security policy allows no style attributes, so that they become attributes of
presentation, which SVG has for the same properties. Identifiers get a prefix: two pictures in a
page would otherwise share them.
"""

import re
import xml.etree.ElementTree as ET

from markupsafe import Markup

_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
_FONT = re.compile(r"(?:(?:normal|italic|oblique|bold|\d{3}) )*([\d.]+px) (.+)")
_DROPPED = {f"{{{_SVG}}}metadata", f"{{{_SVG}}}style"}


def inline_svg(picture: bytes, prefix: str, label: str) -> Markup:
    """Return an SVG by matplotlib as markup; ``label`` is its text for screen readers."""
    root = ET.fromstring(picture)  # noqa: S314 - written by this process
    for element in root.iter():
        for child in [child for child in element if child.tag in _DROPPED]:
            element.remove(child)
        _present(element)
        _rename(element, prefix)
    for name, value in (("stroke-linejoin", "round"), ("stroke-linecap", "butt")):
        root.set(name, value)  # the rule of the style element
    root.set("role", "img")
    root.set("aria-label", label)
    width, height = root.attrib.pop("width"), root.attrib.pop("height")
    root.set("viewBox", root.get("viewBox") or f"0 0 {width[:-2]} {height[:-2]}")
    root.set("width", "100%")
    ET.register_namespace("", _SVG)
    ET.register_namespace("xlink", _XLINK)
    return Markup(ET.tostring(root, encoding="unicode"))  # noqa: S704 - escaped by ElementTree


def _present(element: ET.Element) -> None:
    """Turn the style attribute of an element into attributes of presentation."""
    for rule in element.attrib.pop("style", "").split(";"):
        name, separator, value = (part.strip() for part in rule.partition(":"))
        if not separator:
            continue
        font = _FONT.fullmatch(value) if name == "font" else None
        if font:
            element.set("font-size", font[1])
            element.set("font-family", font[2])
        elif name != "font":
            element.set(name, value)


def _rename(element: ET.Element, prefix: str) -> None:
    identifier = element.get("id")
    if identifier is not None:
        element.set("id", f"{prefix}-{identifier}")
    for name, value in element.attrib.items():
        if value.startswith("url(#"):
            element.set(name, f"url(#{prefix}-{value[5:]}")
        elif name == f"{{{_XLINK}}}href" and value.startswith("#"):
            element.set(name, f"#{prefix}-{value[1:]}")
