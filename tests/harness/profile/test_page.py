"""The flame page as text: its content without a script, its policy, and hostile names."""

import base64
import hashlib
import json
import math
import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from harness.profile.page import PageContent, render_page
from stallscope.recordings import StackRecording
from topdown.stacks import profile as contract
from topdown.stacks.profile import Function, FunctionKind, Profile, StackShares, Thread
from topdown.stacks.python.shares import PythonShares

GOLDEN = Path(__file__).parent / "golden" / "flame_page.txt"

HOSTILE = [
    "</script><script>window.pwned=1</script>",
    "<img src=x onerror=window.pwned=1>",
    "\"><svg onload='window.pwned=1'>",
    "`'\"${alert}",
    "\u202egnp.exe",
    "line\u2028end\u2029\x00\x1b[31m",
    "\ud800 half",
    "long" * 5000,
    "__proto__",
    "constructor",
    "a;b$title",
]


class Outline(HTMLParser):
    """The elements, attributes and visible text of a page."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.lines: list[str] = []
        self.inside: list[str] = []
        self.raw: dict[str, list[str]] = {"script": [], "style": []}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self.inside.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self.inside:
            while self.inside.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        if self.inside and self.inside[-1] in self.raw:
            self.raw[self.inside[-1]].append(data)
        elif data.strip():
            self.lines.append(data.strip())


def outline(text: str) -> Outline:
    parser = Outline()
    parser.feed(text)
    return parser


@pytest.fixture
def profile(profile_of: Callable[..., Profile]) -> Profile:
    write = Function("vfs_write", "[kernel]", FunctionKind.KERNEL)
    nameless = Function("it+0x10", "/bin/it", FunctionKind.UNKNOWN)
    threads = (Thread(7, 7, "it", "main"), Thread(7, 8, "it", "io <1>"))
    rows = [(("main", "f", "main"), 50), (("main", write), 30, 1), ((nameless,), 20)]
    return profile_of(
        rows,
        threads=threads,
        title="it & co",
        lost=25,
        unknown_share=0.2,
        truncated_share=math.nan,
        warnings=(
            contract.ProfileWarning("no-pmu", "No hardware counters: cpu-clock <was> used."),
        ),
    )


def page_of(profile: Profile) -> str:
    return render_page(profile, recording_name="run-1", host={"Kernel": "6.1 <x>"})


def test_static_text_equals_the_golden_file(profile: Profile) -> None:
    text = "\n".join(outline(page_of(profile)).lines) + "\n"
    if text != GOLDEN.read_text(encoding="utf-8"):
        GOLDEN.with_suffix(".got").write_text(text, encoding="utf-8")
    assert text == GOLDEN.read_text(encoding="utf-8")


def test_the_policy_allows_only_the_pages_script_and_style(profile: Profile) -> None:
    page = outline(page_of(profile))
    (policy,) = [a["content"] for _, a in page.elements if "http-equiv" in a]
    assert policy is not None
    data, script = page.raw["script"]
    for kind, source in (("script", script), ("style", page.raw["style"][0])):
        digest = base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    for rule in ("default-src 'none'", "base-uri 'none'", "form-action 'none'"):
        assert rule in policy
    assert json.loads(data)["format"] == "stallscope.flame-page/1"


def test_the_page_has_no_external_resources_and_no_inline_code(profile: Profile) -> None:
    page = outline(page_of(profile))
    for tag, attributes in page.elements:
        assert tag not in {"link", "img", "iframe", "object", "embed", "base"}
        for name, value in attributes.items():
            assert not name.startswith("on")
            assert name not in {"style", "src", "action", "srcdoc"}
            assert name != "href" or (value or "").startswith("#")


def test_hostile_names_add_no_markup(profile_of: Callable[..., Profile]) -> None:
    def tags(names: list[str]) -> list[str]:
        threads = [Thread(n, n, name, name) for n, name in enumerate(names)]
        functions = [Function(name, name, FunctionKind.USER, ((name, 1),)) for name in names]
        rows = [((function,), 1, n) for n, function in enumerate(functions)]
        warnings = tuple(contract.ProfileWarning("w", name) for name in names)
        profile = profile_of(rows, threads=threads, warnings=warnings, title=names[0])
        text = render_page(profile, recording_name=names[0], host={names[1]: names[2]})
        text.encode("utf-8")
        assert not re.search("[\u202a-\u202e\u2066-\u2069\u2028\u2029\x00\x1b]", text)
        return [tag for tag, _ in outline(text).elements]

    assert tags(HOSTILE) == tags([f"plain{n}" for n in range(len(HOSTILE))])


def test_kinds_truncated_stacks_and_remedies_are_in_the_static_text(
    profile_of: Callable[..., Profile],
) -> None:
    serve = Function("serve", "/srv/app.py", FunctionKind.PYTHON)
    push = Function("push", "/bin/it", FunctionKind.INLINED)
    cut = Function("[truncated: no frame pointers]", "", FunctionKind.TRUNCATED)
    shares = StackShares(0.6, 0.4, 0.0, (("no frame pointers", 0.4),))
    profile = profile_of(
        [((serve, "main", push), 6), ((cut, "main"), 4)], truncated_share=0.4, stack_shares=shares
    )
    stacks = StackRecording("fp", "auto", 0, "it is", ())
    page = render_page(profile, recording_name="r", host={}, content=PageContent(stacks=stacks))
    lines = outline(page).lines
    position = lines.index("Truncated stacks")
    assert lines[position + 1] == "40.0 %"
    assert any("Record with --stacks dwarf" in line for line in lines)
    assert "by frame pointers (auto: it is)" in lines
    assert "60.0 %; truncated 40.0 %: no frame pointers 40.0 %" in lines
    assert {"Python", "inlined"} <= set(lines)
    assert "3 functions, by self; inlined functions are separate" in lines
    assert cut.name not in lines  # no function: only the graph has it


def test_a_page_without_samples_has_a_note(profile_of: Callable[..., Profile]) -> None:
    text = page_of(profile_of([], unknown_share=math.nan, truncated_share=math.nan))
    assert "No samples." in outline(text).lines
    assert "not known" in outline(text).lines


def test_the_share_of_samples_with_python_frames_is_in_the_facts(profile: Profile) -> None:
    shares = PythonShares(
        ("3.11.2",), trampolined=0, samples=1000, framed=600, native=0, moved_on=0, unread=400,
        torn=0, late=0, gil_held=300, gil_known=600,
    )  # fmt: skip
    page = render_page(profile, recording_name="r", host={}, content=PageContent(python=shares))
    lines = outline(page).lines
    text = lines[lines.index("Python frames") + 1]
    assert text.startswith("60.0 % of the samples of CPython 3.11.2")
    assert "40.0 % were not read; GIL held in 50.0 %" in text
    without_samples = replace(shares, samples=0, framed=0, unread=0, gil_held=0, gil_known=0)
    page = render_page(
        profile, recording_name="r", host={}, content=PageContent(python=without_samples)
    )
    assert "Python frames" not in outline(page).lines


def test_a_single_function_and_thread_are_singular(profile_of: Callable[..., Profile]) -> None:
    lines = outline(render_page(profile_of([(("main",), 1)]), recording_name="r", host={})).lines
    assert {"1 function", "1 thread"} <= set(lines)
