"""Pictures as a part of a page."""

import xml.etree.ElementTree as ET

from harness.page.inline_svg import inline_svg
from harness.page.pictures import picture_bytes


def _picture() -> bytes:
    def draw(figure) -> None:
        axes = figure.subplots()
        axes.plot([1, 2], [3, 4], "o--", label="<b>&")
        axes.legend()

    return picture_bytes(draw, "svg", (3, 2))


def test_no_style_is_left_that_a_content_security_policy_would_block() -> None:
    markup = inline_svg(_picture(), "scale", "throughput")
    assert "style" not in markup
    assert 'stroke="#1f77b4"' in markup
    assert 'font-size="10px"' in markup
    assert "&lt;b&gt;&amp;" in markup


def test_identifiers_of_two_pictures_differ_and_references_follow() -> None:
    first, second = (ET.fromstring(inline_svg(_picture(), prefix, "")) for prefix in ("a", "b"))
    names = [{element.get("id") for element in root.iter()} - {None} for root in (first, second)]
    assert not names[0] & names[1]
    for element in first.iter():
        for value in element.attrib.values():
            if value.startswith("url(#"):
                assert value[5:-1] in names[0]
