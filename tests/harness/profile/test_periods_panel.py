"""The panel on samples over time, and a page of one period alone."""

import json
from pathlib import Path

from click.testing import CliRunner
from msgspec.structs import replace

from harness.commands.report import command
from harness.profile.periods_panel import period_text, periods_panel
from tests.topdown.stacks.test_bursts import profile_with
from tests.topdown.waits.test_sample_weights import two_phases
from topdown.stacks.bursts import find_bursts


def test_a_burst_is_outlined_and_listed_with_the_command_that_shows_it() -> None:
    profile, times = profile_with((30, 35), seconds=120)
    profile = replace(profile, times=times)
    bursts = find_bursts(profile, times)
    markup = periods_panel(profile, bursts, recording_name="<run>")
    assert "compact" in markup
    assert "heat-mark" in markup
    assert f"report &lt;run&gt; --period {period_text(bursts[0])}" in markup


def test_a_steady_recording_has_a_map_only() -> None:
    profile, times = profile_with(None, seconds=60)
    markup = periods_panel(replace(profile, times=times), (), recording_name="run")
    assert "No period differs" in markup
    assert "<table" not in markup


def test_samples_without_times_have_no_panel() -> None:
    assert not periods_panel(profile_with(None, seconds=60)[0], (), recording_name="run")


def test_a_period_filters_the_functions(tmp_path: Path) -> None:
    capture = two_phases().write(tmp_path / "waits.perf")

    def names(*words: str) -> set[str]:
        result = CliRunner().invoke(
            command, [str(capture), "--no-page", "--json", *words], catch_exceptions=False
        )
        return {row["name"] for row in json.loads(result.output)["functions"] if row["self_share"]}

    assert names() == {"waits+0x100", "waits+0x200"}
    assert names("--period", "0-0.1") == {"waits+0x100"}
    assert names("--period", "0.19-0.3") == {"waits+0x200"}
    assert names("--period", "0.19-0.3", "--weight", "wall") == {"waits+0x200"}
