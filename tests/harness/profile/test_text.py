"""The summary and the result: unknown values, escaping, widths."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from msgspec.structs import replace
from rich.cells import cell_len

from harness.profile.analysis import Analysis
from harness.profile.page import render_page
from harness.profile.result import ProfileResult, profile_result
from harness.profile.text import show, summary_text
from stallscope.documents import decode, encode
from tests.harness.profile.summaries import PATHS, RECORDED, analysis, text_of
from topdown.stacks.flame.svg import render_svg
from topdown.stacks.profile import Profile, SampleSource, StackShares
from topdown.stacks.profile_warning import ProfileWarning

NAN = float("nan")
NO_RATE = SampleSource("cycles", "measured", "events", None, None, "user")


def document_of(value: Analysis) -> dict[str, Any]:
    return json.loads(encode(profile_result(value, **PATHS)))


def test_unknown_values_are_null_in_json(
    profile_of: Callable[..., Profile], capsys: pytest.CaptureFixture[str]
) -> None:
    profile = profile_of([], duration_s=NAN, unknown_share=NAN, truncated_share=NAN)
    show(analysis(profile), top=5, as_json=True, **PATHS)

    def refuse(word: str) -> None:
        raise AssertionError(word)

    document = json.loads(capsys.readouterr().out, parse_constant=refuse)
    assert document["duration_s"] is None
    assert document["unknown_share"] is None


def test_the_fields_of_the_json_document(profile_of: Callable[..., Profile]) -> None:
    profile = profile_of([(("main", "work"), 3), (("main",), 1)])
    document = document_of(analysis(profile))
    assert document["schema"] == "stallscope.profile/1"
    assert document["source"]["event"] == "cpu-clock"
    assert document["source"]["kind"] == "measured"
    assert (document["samples"], document["lost"]) == (4, 0)
    assert (document["unknown_share"], document["truncated_share"]) == (0.0, 0.0)
    first = document["functions"][0]
    assert (first["name"], first["module"]) == ("work", "/bin/it")
    assert (first["self_share"], first["total_share"]) == (0.75, 0.75)
    assert document["functions"][1]["total_share"] == 1.0
    assert document["threads"][0]["share"] == 1.0
    assert (document["recording"], document["report"]) == ("run", "run/report.html")


def test_an_unknown_duration_and_rate_are_reported(profile_of: Callable[..., Profile]) -> None:
    profile = profile_of([(("main",), 1)], duration_s=NAN, source=NO_RATE)
    text = text_of(profile)
    assert "in an unknown time" in text
    assert "at an unknown rate" in text
    assert "nan" not in text
    assert "not known" in render_page(profile, recording_name="run", host={})
    assert "rate not known" in render_svg(profile, width=800, inverted=False)


def test_a_period_has_its_unit(profile_of: Callable[..., Profile]) -> None:
    source = replace(NO_RATE, period=1_000_000)
    assert "cycles every 1,000,000 events" in text_of(profile_of([(("main",), 1)], source=source))


@pytest.mark.parametrize("period", [2**63, 2**64 - 1, 2**62])
def test_any_period_gives_a_page(profile_of: Callable[..., Profile], period: int) -> None:
    source = replace(NO_RATE, period=period)
    assert render_page(profile_of([(("main",), 4)], source=source), recording_name="r", host={})


def test_control_characters_are_escaped(profile_of: Callable[..., Profile]) -> None:
    bad = "\x1b[2J\u202e\udcff"
    source = SampleSource(bad, bad, "events", None, 7, bad)
    warnings = (ProfileWarning("x", f"{bad} said"),)
    profile = profile_of([((bad,), 1)], source=source, title=bad, warnings=warnings)
    paths = {"recording": Path(f"run{bad}"), "report": Path(f"run{bad}/report.html")}
    text = summary_text(profile_result(analysis(profile), top=5, **paths))
    assert "\x1b[2J" not in text
    assert "\u202e" not in text
    text.encode()


CUT = StackShares(
    0.972, 0.028, 0.021,
    (("beyond the copied stack", 0.021), ("no unwind information in libfoo.so", 0.007)),
)  # fmt: skip


def test_the_stack_mode_and_the_completeness_of_stacks_are_printed(
    profile_of: Callable[..., Profile],
) -> None:
    profile = profile_of([(("main",), 4)], stack_shares=CUT, truncated_share=0.028)
    text = text_of(profile, stacks=RECORDED)
    expected = """\
stacks     copied, 8 KiB per sample (auto: frame pointers reach the entry in 3 % of the first 64
           samples)
whole      97.2 %; truncated 2.8 %: beyond the copied stack 2.1 %, no unwind information in
           libfoo.so 0.7 %
"""
    assert expected in text
    assert "caution" not in text
    assert "\nstacks " not in text_of(profile)
    assert "whole      n/a\n" in text_of(profile_of([]))


def test_stacks_in_the_json_document(profile_of: Callable[..., Profile]) -> None:
    profile = profile_of([(("main",), 4)], stack_shares=CUT)
    assert document_of(analysis(profile, RECORDED))["stacks"] == {
        "requested": "auto",
        "chosen": "dwarf",
        "copy_bytes": 8192,
        "why": "frame pointers reach the entry in 3 % of the first 64 samples",
        "complete_share": 0.972,
        "truncated_share": 0.028,
        "cut_share": 0.021,
        "reasons": [
            {"reason": "beyond the copied stack", "share": 0.021},
            {"reason": "no unwind information in libfoo.so", "share": 0.007},
        ],
    }
    unknown = document_of(analysis(profile_of([])))["stacks"]
    assert unknown.pop("reasons") == []
    assert set(unknown.values()) == {None}


@pytest.mark.parametrize("columns", [40, 50, 80])
def test_lines_fit_the_terminal(
    profile_of: Callable[..., Profile], monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    monkeypatch.setattr("harness.profile.text.width", lambda: columns)
    warnings = (ProfileWarning("x", "the kernel does not show its symbols to this user " * 4),)
    profile = profile_of([(("main", "a_long_name::" * 9), 3)], warnings=warnings, source=NO_RATE)
    lines = text_of(profile).splitlines()
    cautions = [line for line in lines if "kernel" in line]
    assert len(cautions) > 2
    assert all(line.startswith(" " * 11) for line in cautions[1:])
    assert max(map(len, cautions[1:])) <= columns


def test_no_color_disables_colours(
    profile_of: Callable[..., Profile], monkeypatch: pytest.MonkeyPatch
) -> None:
    colours: list[object] = []
    monkeypatch.setattr("click.echo", lambda *_, **options: colours.append(options.get("color")))
    profile = profile_of([(("main",), 1)])
    for value in ("1", ""):
        monkeypatch.setenv("NO_COLOR", value)
        show(analysis(profile), top=1, as_json=False, **PATHS)
    assert colours == [False, None]


def test_a_decoded_result_equals_the_encoded_result(profile_of: Callable[..., Profile]) -> None:
    profile = profile_of([(("main", "work"), 3), (("main",), 1)], stack_shares=CUT)
    result = profile_result(analysis(profile, RECORDED), **PATHS)
    assert decode(encode(result), ProfileResult, "result") == result


def test_wide_characters_keep_columns_aligned(profile_of: Callable[..., Profile]) -> None:
    names = ("\u95a2\u6570" * 40, "\u95a2\u6570", "main")
    lines = click.unstyle(text_of(profile_of([((name,), 1) for name in names]))).splitlines()
    rows = [line for line in lines if line.endswith("it")]
    assert len(rows) == 3
    assert len({cell_len(row) for row in rows}) == 1
