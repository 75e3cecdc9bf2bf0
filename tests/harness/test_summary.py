"""The summary and the document: what is not known is said, what is hostile is made visible."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from harness.pages.flame import render_page
from harness.summary import Places, show, summary_document, summary_text
from topdown.stacks.flame_svg import render_svg
from topdown.stacks.profile import Profile, Source
from topdown.stacks.profile import Warning as ProfileWarning
from topdown.stacks.ranking import rank

PLACES = Places(Path("run"), Path("run/report.html"))
NAN = float("nan")
NO_RATE = Source("cycles", "measured", "events", None, None, "user")


def text_of(profile: Profile, top: int = 5) -> str:
    return summary_text(profile, rank(profile), PLACES, top)


def test_a_document_never_holds_what_json_cannot(
    profile_of: Callable[..., Profile], capsys: pytest.CaptureFixture[str]
) -> None:
    profile = profile_of([], duration_s=NAN, unknown_share=NAN, truncated_share=NAN)
    show(profile, rank(profile), PLACES, top=5, as_json=True)

    def refuse(word: str) -> None:
        raise AssertionError(word)

    document = json.loads(capsys.readouterr().out, parse_constant=refuse)
    assert document["duration_s"] is None
    assert document["unknown_share"] is None


def test_the_fields_that_scripts_rely_on(profile_of: Callable[..., Profile]) -> None:
    profile = profile_of([(("main", "work"), 3), (("main",), 1)])
    document = summary_document(profile, rank(profile), PLACES)
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
    text = summary_text(profile, rank(profile), places, 5)
    assert "\x1b[2J" not in text
    assert "\u202e" not in text
    text.encode()


@pytest.mark.parametrize("columns", [40, 50, 80])
def test_nothing_is_wider_than_the_terminal(
    profile_of: Callable[..., Profile], monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    monkeypatch.setattr("harness.summary.width", lambda: columns)
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
        show(profile, rank(profile), PLACES, top=1, as_json=False)
    assert told == [False, None]
