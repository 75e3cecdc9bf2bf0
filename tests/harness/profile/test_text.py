"""The summary and the document: what is not known is said, what is hostile is made visible."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs

from harness.profile.analysis import Analysis
from harness.profile.page import render_page
from harness.profile.text import Places, show, summary_document, summary_text
from harness.profile.whole_stacks import shares_text
from stallscope.recordings import StackRecording
from topdown.stacks.flame.svg import render_svg
from topdown.stacks.profile import Profile, ProfileWarning, Source, StackShares
from topdown.stacks.ranking import rank

WHY = "frame pointers reach the entry in 3 % of the first 64 samples"
TAKEN = StackRecording("dwarf", "auto", 8192, WHY, ())
PLACES = Places(Path("run"), Path("run/report.html"))
NAN = float("nan")
NO_RATE = Source("cycles", "measured", "events", None, None, "user")


def analysis(profile: Profile, stacks: StackRecording | None = None) -> Analysis:
    return Analysis(profile, rank(profile), {}, stacks)


def text_of(profile: Profile, top: int = 5, stacks: StackRecording | None = None) -> str:
    return summary_text(analysis(profile, stacks), PLACES, top)


def test_a_document_never_holds_what_json_cannot(
    profile_of: Callable[..., Profile], capsys: pytest.CaptureFixture[str]
) -> None:
    profile = profile_of([], duration_s=NAN, unknown_share=NAN, truncated_share=NAN)
    show(analysis(profile), PLACES, top=5, as_json=True)

    def refuse(word: str) -> None:
        raise AssertionError(word)

    document = json.loads(capsys.readouterr().out, parse_constant=refuse)
    assert document["duration_s"] is None
    assert document["unknown_share"] is None


def test_the_fields_that_scripts_rely_on(profile_of: Callable[..., Profile]) -> None:
    profile = profile_of([(("main", "work"), 3), (("main",), 1)])
    document = summary_document(analysis(profile), PLACES)
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


def test_a_time_and_a_rate_that_nobody_recorded(profile_of: Callable[..., Profile]) -> None:
    profile = profile_of([(("main",), 1)], duration_s=NAN, source=NO_RATE)
    text = text_of(profile)
    assert "in a time that is not recorded" in text
    assert "at a rate not recorded" in text
    assert "nan" not in text
    assert "not known" in render_page(profile, recording_name="run", host={})
    assert "rate not known" in render_svg(profile, width=800, inverted=False)


def test_a_period_has_its_unit(profile_of: Callable[..., Profile]) -> None:
    source = replace(NO_RATE, period=1_000_000)
    assert "cycles every 1,000,000 events" in text_of(profile_of([(("main",), 1)], source=source))


@pytest.mark.parametrize("period", [2**63, 2**64 - 1, 2**62])
def test_a_strangers_period_spoils_no_page(profile_of: Callable[..., Profile], period: int) -> None:
    source = replace(NO_RATE, period=period)
    assert render_page(profile_of([(("main",), 4)], source=source), recording_name="r", host={})


def test_hostile_words_are_made_visible(profile_of: Callable[..., Profile]) -> None:
    bad = "\x1b[2J\u202e\udcff"
    source = Source(bad, bad, "events", None, 7, bad)
    warnings = (ProfileWarning("x", f"{bad} said"),)
    profile = profile_of([((bad,), 1)], source=source, title=bad, warnings=warnings)
    places = Places(Path(f"run{bad}"), Path(f"run{bad}/report.html"))
    text = summary_text(analysis(profile), places, 5)
    assert "\x1b[2J" not in text
    assert "\u202e" not in text
    text.encode()


CUT = StackShares(
    0.972, 0.028, 0.021,
    (("beyond the copied stack", 0.021), ("no unwind information in libfoo.so", 0.007)),
)  # fmt: skip


def test_how_stacks_were_taken_and_how_many_are_whole(profile_of: Callable[..., Profile]) -> None:
    profile = profile_of([(("main",), 4)], stack_shares=CUT, truncated_share=0.028)
    text = text_of(profile, stacks=TAKEN)
    expected = """\
stacks     copied, 8 KiB a sample (auto: frame pointers reach the entry in 3 % of the first 64
           samples)
whole      97.2 %; truncated 2.8 %: beyond the copied stack 2.1 %, no unwind information in
           libfoo.so 0.7 %
"""
    assert expected in text
    assert "caution" not in text
    assert "\nstacks " not in text_of(profile)
    assert "whole      n/a\n" in text_of(profile_of([]))


@pytest.mark.parametrize(
    ("stacks", "said"),
    [
        (StackRecording("fp", "fp", 0, "", ()), "by frame pointers (--stacks fp)"),
        (StackRecording("fp", "auto", 0, "", ()), "by frame pointers (auto)"),
        (StackRecording("dwarf", "dwarf", 65528, "asked for", ()), "copied, 64 KiB a sample (--stacks dwarf)"),
        (StackRecording("mixed", "auto", 16384, "it is", ()), "where frame pointers do not reach far (auto: it is)"),
        (StackRecording("\x1b[2J", "\x1b", 1, "\x1b", ()), "\\x1b[2J (--stacks \\x1b)"),
    ],
)  # fmt: skip
def test_each_choice_in_words(
    profile_of: Callable[..., Profile], stacks: StackRecording, said: str
) -> None:
    assert said in text_of(profile_of([(("main",), 4)]), stacks=stacks).replace(
        "\n" + " " * 11, " "
    )


@pytest.mark.parametrize(
    ("reasons", "copy_bytes", "remedy"),
    [
        ((("no frame pointers", 0.9),), 0, "Record with --stacks dwarf"),
        ((("beyond the copied stack", 0.9),), 8192, "than the 8 KiB copied: record with --stack-bytes 32768."),
        ((("beyond the copied stack", 0.9),), 32768, "record with --stack-bytes 65528."),
        ((("beyond the copied stack", 0.9),), 65528, "deeper than what the kernel copies at most"),
        ((("no unwind information in a.so", 0.9),), 8192, "Build a.so with unwind tables"),
        ((("damaged frame", 0.9),), 8192, "totals and callers are lower bounds."),
    ],
)  # fmt: skip
def test_many_truncated_stacks_bring_what_to_do(
    profile_of: Callable[..., Profile],
    reasons: tuple[tuple[str, float], ...],
    copy_bytes: int,
    remedy: str,
) -> None:
    shares = StackShares(0.1, 0.9, 0.0, reasons)
    profile = profile_of([(("main",), 4)], stack_shares=shares, truncated_share=0.9)
    text = text_of(profile, stacks=structs.replace(TAKEN, copy_bytes=copy_bytes))
    said = text[text.index("caution") :].replace("\n" + " " * 11, " ")
    assert remedy in said
    assert said.count("--stack") == remedy.count("--stack")


def test_the_document_says_it_of_stacks_too(profile_of: Callable[..., Profile]) -> None:
    profile = profile_of([(("main",), 4)], stack_shares=CUT)
    assert summary_document(analysis(profile, TAKEN), PLACES)["stacks"] == {
        "asked": "auto",
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
    unknown = summary_document(analysis(profile_of([])), PLACES)["stacks"]
    assert unknown.pop("reasons") == []
    assert set(unknown.values()) == {None}


def test_shares_that_round_to_nothing_or_all_are_said() -> None:
    shares = StackShares(0.9999, 0.0001, 0.0, (("damaged frame", 0.0001),))
    assert shares_text(shares) == "> 99.9 %; truncated < 0.1 %: damaged frame < 0.1 %"
    many = tuple((f"reason {n}", 0.1) for n in range(5))
    assert shares_text(StackShares(0.5, 0.5, 0.0, many)).endswith(", other reasons 20.0 %")
    assert shares_text(StackShares(1.0, 0.0, 0.0)) == "100.0 %"


@pytest.mark.parametrize("columns", [40, 50, 80])
def test_nothing_is_wider_than_the_terminal(
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


def test_colours_end_with_no_color(
    profile_of: Callable[..., Profile], monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[object] = []
    monkeypatch.setattr("click.echo", lambda *_, **options: told.append(options.get("color")))
    profile = profile_of([(("main",), 1)])
    for value in ("1", ""):
        monkeypatch.setenv("NO_COLOR", value)
        show(analysis(profile), PLACES, top=1, as_json=False)
    assert told == [False, None]
