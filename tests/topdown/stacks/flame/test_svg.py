"""The SVG image: golden text, and escaping of names."""

import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest

from topdown.stacks.flame.svg import render_svg
from topdown.stacks.profile import Function, FunctionKind, Profile

CUT = Function("[truncated: no frame pointers]", "", FunctionKind.TRUNCATED)
NS = {"svg": "http://www.w3.org/2000/svg"}
GOLDEN = Path(__file__).parent / "golden" / "flame_small.svg"


def small(profile_of: Callable[..., Profile]) -> Profile:
    read = Function("sys_read", "[kernel]", FunctionKind.KERNEL)
    rows = [(("main", "parse<int>"), 600), (("main", read), 390)]
    rows += [(("main", f"cold{n}"), 1) for n in range(10)]
    rows += [((CUT, "main"), 700), ((Function("run", "app.py", FunctionKind.PYTHON),), 300)]
    return profile_of(rows, title="small & plain", lost=2, truncated_share=0.25)


def test_golden(profile_of: Callable[..., Profile]) -> None:
    text = render_svg(small(profile_of), width=600, inverted=False)
    if text != GOLDEN.read_text(encoding="utf-8"):
        GOLDEN.with_suffix(".got").write_text(text, encoding="utf-8")
    assert text == GOLDEN.read_text(encoding="utf-8")


def frames(text: str) -> list[tuple[str, float]]:
    root = ET.fromstring(text)
    return [
        (group.findtext("svg:title", "", NS), float(group.find("svg:rect", NS).get("y")))
        for group in root.findall("svg:g", NS)
    ]


def test_flame_grows_up_and_icicle_down(profile_of: Callable[..., Profile]) -> None:
    profile = small(profile_of)
    flame = frames(render_svg(profile, width=600, inverted=False))
    icicle = frames(render_svg(profile, width=600, inverted=True))
    assert [title for title, _ in flame] == [title for title, _ in icicle]
    assert flame[0][1] == max(y for _, y in flame)
    assert icicle[0][1] == min(y for _, y in icicle)
    assert any(
        title.startswith("10 more, each narrower than a pixel: 10.0 ms") for title, _ in flame
    )


def test_truncated_chains_are_last_and_the_legend_lists_the_colours_used(
    profile_of: Callable[..., Profile],
) -> None:
    root = ET.fromstring(render_svg(small(profile_of), width=600, inverted=True))
    second = [
        (float(rect.get("x", "")), rect.get("class", "").split()[0])
        for group in root.findall("svg:g", NS)
        for rect in group.findall("svg:rect", NS)
        if rect.get("y") == "76"
    ]
    assert [look for _, look in sorted(second)] == ["user", "python", "truncated"]
    legend = [text.text for text in root.findall("svg:text", NS)[2:]]
    assert legend == ["user", "Python", "kernel", "truncated", "too narrow"]


@pytest.mark.parametrize(
    "name",
    ["</title><script>x</script>", "\"><svg onload='x'>", "a&b]]>", "\x00\x0b\ud800\u202e\uffff"],
)
def test_hostile_names_stay_text(profile_of: Callable[..., Profile], name: str) -> None:
    profile = profile_of([((name,), 1)], title=name)
    text = render_svg(profile, width=300, inverted=True)
    root = ET.fromstring(text.encode("utf-8"))
    assert {element.tag.partition("}")[2] for element in root.iter()} == {
        "svg", "style", "rect", "title", "text", "g",
    }  # fmt: skip
    assert not any(key.startswith("on") for element in root.iter() for key in element.attrib)


def test_a_profile_without_samples_says_so(profile_of: Callable[..., Profile]) -> None:
    assert "No samples." in render_svg(profile_of([]), width=300, inverted=False)
