"""The storm lab on disks in virtual time, whose answers are known, and its page and text."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.cli.command_line import main
from harness.io.recorder import Recorder
from harness.labs.storm.conclusion import StormConclusion, conclude
from harness.labs.storm.document import storm_document
from harness.labs.storm.options import storm_options
from harness.labs.storm.panel import storm_panel
from harness.labs.storm.plan import (
    AGAINST,
    ALONE,
    StormOptions,
    TrialPlan,
    runs,
    settings,
    writing_s,
)
from harness.labs.storm.rounds import StormResults
from harness.labs.storm.session import measured_storm
from harness.labs.storm.shown import storm_shown
from harness.labs.storm.text import lines
from harness.labs.storm.trial import (
    KEPT_SHARE,
    Recommended,
    recommended,
    trial_of,
    trial_runs,
)
from ioprobe.storm import Setting, StormRound
from stallscope.errors import RecordingError, UnableError, UsageError
from stallscope.json_fields import Fields

SERVERS, SERVICE_NS = 8, 1_000_000
OPTIONS = StormOptions(
    path=f"sim:servers={SERVERS},service=1ms",
    limits=(128, 8),
    trial=TrialPlan(limits=(32, 16, 9, 8), rounds=5, duration_s=2),
)
WORDS = {
    "rounds": 5, "duration_s": None, "warmup_s": 0.2, "rest_s": 0.0, "recommended": None, "limits": "128,8",
    "shares": "1000:100", "depth": 256, "read_block": "4K", "write_block": "128K", "size": "1G",
    "span": None, "destroy": None, "server": False, "output": None, "force": False,
}  # fmt: skip


@pytest.fixture(scope="module")
def results() -> StormResults:
    return measured_storm(OPTIONS)


@pytest.fixture(scope="module")
def document(results: StormResults) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(json.dumps(storm_document(results), allow_nan=False))
    return made


def row(rows: list[dict[str, Any]], limit: int | None) -> dict[str, Any]:
    (found,) = (one for one in rows if one["limit"] == limit)
    return found


def test_rounds_have_every_setting_once_and_alternate() -> None:
    order = settings(OPTIONS, 9)
    made = runs(OPTIONS, 9)
    assert len(set(order)) == len(order) == 9
    assert order[-2:] == (Setting(AGAINST, OPTIONS.shares), Setting(9, OPTIONS.shares))
    assert tuple(run.setting for run in made[:9]) == order
    assert tuple(run.setting for run in made[9:18]) == order[::-1]
    assert len({run.id for run in made}) == len(made) == 9 * OPTIONS.rounds


def test_a_recommended_limit_that_is_tried_anyway_is_one_row() -> None:
    assert settings(OPTIONS, 8).count(Setting(8, OPTIONS.shares)) == 1
    assert settings(OPTIONS, AGAINST).count(Setting(AGAINST, None)) == 1


def test_the_limit_decides_how_long_the_reader_waits(document: dict[str, Any]) -> None:
    """With shares a read waits for what was let below before it, and for that only."""
    for limit in (128, 8):
        found = row(document["rows"], limit)
        assert found["reader_ns"]["p50"] == pytest.approx(limit / SERVERS * SERVICE_NS, rel=0.02)
        assert found["in_flight"] == pytest.approx(limit, rel=0.01)
        assert found["pending"] == pytest.approx(257 - limit, rel=0.01)
    alone = document["reader_alone"]
    assert alone["reader_ns"]["max"] == pytest.approx(SERVICE_NS, rel=0.01)
    assert alone["writer_bytes_per_s"] is None


def test_first_come_a_read_waits_as_long_at_any_limit(document: dict[str, Any]) -> None:
    times = [one["reader_ns"]["p50"] for one in document["first_come"]]
    assert len(times) == 4
    assert min(times) == pytest.approx(257 / SERVERS * SERVICE_NS, rel=0.05)
    assert max(times) == pytest.approx(min(times), rel=0.05)


def kept(limit: int) -> float:
    """What the reader, which always has one request below, leaves the writer of all servers."""
    return min(limit - 1, SERVERS * (1 - 1 / limit)) / (SERVERS * (1 - 1 / AGAINST))


def test_what_is_recommended_keeps_the_writers_bandwidth(
    results: StormResults, document: dict[str, Any]
) -> None:
    assert document["recommended"]["limit"] == 32
    assert row(document["rows"], 32)["recommended"]
    for one in document["recommended"]["tried"]:
        assert one["bandwidth_share"] == pytest.approx(kept(one["limit"]), rel=0.02)
        assert one["rounds"] == OPTIONS.trial.rounds
        assert (one["limit"] == 32) == (kept(one["limit"]) > KEPT_SHARE)
    ratios = document["ratios"]
    assert ratios["p99"]["median"] == pytest.approx(1 / 4, rel=0.1)
    assert ratios["p99"]["n"] == 5
    assert ratios["writer_bytes_per_s"]["median"] == pytest.approx(kept(32), rel=0.02)
    assert conclude(results).conclusion == StormConclusion.GAIN
    assert document["verdict"] == "gain"
    assert "0.25" in document["verdict_reason"]


def test_the_knee_alone_would_cost_the_writer() -> None:
    at_the_knee = measured_storm(replace(OPTIONS, recommended=SERVERS + 1, first_come=False))
    assert conclude(at_the_knee).conclusion == StormConclusion.PRICE


def tried_at(limit: int | None, bandwidths: list[float], **values: Any) -> list[StormRound]:
    """Rounds of a trial that came to such bandwidths."""
    ends = [one for one in trial_runs(OPTIONS) if one.setting.limit == limit]
    return [
        replace(ROUND, run=run, writer_bytes_per_s=bandwidth, **values)
        for run, bandwidth in zip(ends, bandwidths, strict=True)
    ]


ROUND = StormRound(
    run=trial_runs(OPTIONS)[0], source="measured", real_time=True, seconds=1.0, reads=1,
    reader=None, reader_delay=None, writer_bytes_per_s=None, pending=None, in_flight=None,
    iowait_share=None, cpu_delay_share=None, errors={}, failed=(), interrupted=False,
)  # fmt: skip
FULL = tried_at(AGAINST, [100.0, 80.0, 120.0, 90.0, 110.0])


def test_a_limit_below_one_that_costs_is_not_recommended() -> None:
    """However well it did: that was chance."""
    uneven = tried_at(32, [99.0, 80.0, 118.0, 90.0, 109.0])
    uneven += tried_at(16, [60.0, 50.0, 60.0, 65.0, 69.0])
    found = recommended(OPTIONS, [*FULL, *uneven, *tried_at(8, [100.0, 80.0, 120.0, 90.0, 110.0])])
    assert found is not None
    assert found.limit == 32
    assert [one.limit for one in found.tried] == [8, 16, 32]
    assert "of 8, 16, 32 in 5 short rounds" in found.how


def test_readings_that_fall_by_chance_are_taken_for_equal() -> None:
    fallen = tried_at(16, [96.0, 77.0, 115.0, 87.0, 106.0])
    fallen += tried_at(32, [94.9, 76.0, 114.0, 85.0, 104.0])
    found = recommended(OPTIONS, [*FULL, *fallen, *tried_at(8, [50.0, 40.0, 60.0, 45.0, 55.0])])
    assert found is not None
    assert [one.bandwidth_share for one in found.tried] == pytest.approx([0.5, 0.962, 0.9478])
    assert found.limit == 16


def test_where_every_limit_costs_there_is_none() -> None:
    found = recommended(OPTIONS, [*FULL, *tried_at(32, [50.0, 40.0, 60.0, 45.0, 55.0])])
    assert found is not None
    assert found.limit == AGAINST
    assert "no lesser one" in found.how


def test_a_trial_whose_runs_all_failed_tells_nothing() -> None:
    assert recommended(OPTIONS, []) is None
    assert recommended(OPTIONS, [*FULL, *tried_at(32, [1.0] * 5, failed=("late",))]) is None


def test_a_trial_has_no_runs_but_of_limits() -> None:
    limits = {run.setting.limit for run in trial_runs(OPTIONS)}
    assert limits == {*OPTIONS.trial.limits, AGAINST}
    assert len(trial_runs(OPTIONS)) == len(limits) * trial_of(OPTIONS).rounds


def changed(results: StormResults, limited: Setting, **values: Any) -> StormResults:
    """The results as they would be with other values for a setting."""
    rounds = tuple(
        replace(one, **values) if one.run.setting == limited else one for one in results.rounds
    )
    return replace(results, rounds=rounds)


def scaled(results: StormResults, limited: Setting, factors: list[float]) -> StormResults:
    """The results with the bandwidth of 128, times a factor for each round, at a limit."""
    full = {one.run.round: one.writer_bytes_per_s for one in results.all_of(results.against)}

    def scale(one: StormRound) -> StormRound:
        if one.run.setting != limited:
            return one
        return replace(one, writer_bytes_per_s=(full[one.run.round] or 0) * factors[one.run.round])

    return replace(results, rounds=tuple(map(scale, results.rounds)))


@pytest.mark.parametrize(
    ("factors", "conclusion"),
    [
        ([0.99, 1.0, 0.98, 1.02, 0.97], StormConclusion.GAIN),
        ([0.5, 0.6, 0.7, 0.9, 0.8], StormConclusion.PRICE),
        ([0.8, 1.1, 1.0, 1.0, 1.0], StormConclusion.REFUSED),
    ],
)
def test_verdicts(results: StormResults, factors: list[float], conclusion: StormConclusion) -> None:
    assert conclude(scaled(results, results.limited, factors)).conclusion == conclusion


def test_a_limit_that_changes_nothing_gains_nothing(results: StormResults) -> None:
    (other,) = {one.reader for one in results.all_of(results.against)}
    same = changed(scaled(results, results.limited, [1.0] * 5), results.limited, reader=other)
    assert conclude(same).conclusion == StormConclusion.NO_GAIN
    itself = replace(results, recommended=Recommended(AGAINST, "named"))
    assert conclude(itself).conclusion == StormConclusion.NO_GAIN


def test_rounds_that_fail_are_masked_and_leave_no_verdict(results: StormResults) -> None:
    failed = changed(results, results.limited, failed=("our own thread waited",))
    assert conclude(failed).conclusion == StormConclusion.REFUSED
    made = json.loads(json.dumps(storm_document(failed), allow_nan=False))
    masked = row(made["rows"], 32)
    assert masked["masked"] == ["our own thread waited"] * 5
    assert masked["reader_ns"]["p99"] is None
    told = "\n".join(lines(storm_shown(Fields(made, "x")), 200))
    assert "masked 5 times" in told


def test_an_interruption_keeps_finished_runs(results: StormResults) -> None:
    begun = replace(results, rounds=results.rounds[:3], complete=False)
    made = json.loads(json.dumps(storm_document(begun), allow_nan=False))
    assert made["rows"] == []
    assert made["reader_alone"]["rounds"] == 1
    shown = storm_shown(Fields(made, "x"))
    assert "interrupted: finished runs only are told" in shown.warnings
    assert "<svg" in storm_panel(shown)


@pytest.mark.parametrize("room", [80, 200])
def test_the_table_fits_and_has_every_setting(document: dict[str, Any], room: int) -> None:
    told = list(lines(storm_shown(Fields(document, "x")), room))
    assert max(map(len, told)) <= room
    for name in ("reader alone", "no limit, first come", "limit 32, shares 1000:100 *"):
        assert any(line.startswith(name) for line in told)
    assert any(line.startswith("verdict: gain: ") for line in told)


def test_the_panel_escapes_and_draws(document: dict[str, Any]) -> None:
    hostile = document | {"verdict_reason": "<script>", "warnings": ["<b>x</b>"]}
    panel = storm_panel(storm_shown(Fields(hostile, "x")))
    assert panel.count('<svg class="plot"') == 3
    assert "<script>" not in panel
    assert "<b>x</b>" not in panel
    assert "style=" not in panel


def test_a_damaged_document_is_refused(document: dict[str, Any]) -> None:
    for key, value in (("rows", 3), ("verdict", None), ("rows", [{"limit": -1}]), ("facts", 1)):
        with pytest.raises(RecordingError):
            storm_shown(Fields(document | {key: value}, "storm.json"))


@pytest.mark.parametrize(
    ("name", "value"),
    [("limits", "0,8"), ("limits", "a"), ("limits", ""), ("limits", "5000"), ("shares", "1"),
     ("shares", "0:1"), ("shares", "1:2:3"), ("read_block", "4X"), ("span", "-1")],
)  # fmt: skip
def test_words_that_make_no_sense(name: str, value: str) -> None:
    with pytest.raises(UsageError):
        storm_options("/srv", WORDS | {name: value})


def test_options_and_what_they_write() -> None:
    options = storm_options("/srv", WORDS)
    assert (options.duration_s, options.limits) == (1.0, (128, 8))
    assert storm_options("sim:servers=8,service=1ms", WORDS).duration_s == 10.0
    named = replace(options, recommended=9)
    assert writing_s(named) == pytest.approx(5 * 8 * 1.2)
    assert writing_s(options) > writing_s(named)
    assert ALONE in settings(named, 9)


def test_a_recording_is_reported_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "storm"
    path = "sim:servers=4,service=1ms"
    words = ["lab", "storm", path, "--seconds", "1", "--rounds", "1", "--recommended", "5"]
    assert main([*words, "--limits", "128", "-o", str(folder)]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "verdict: no verdict: too few rounds passed" in told
    assert "A reader beside a storm of writes" in (folder / "report.html").read_text()
    manifest = json.loads((folder / "recording.json").read_text())
    assert manifest["command"] == ["stallscope", "lab", "storm", path]
    assert main(["report", str(folder), "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert again["schema"] == "stallscope.lab.storm/1"
    assert again["settings"] is None  # the disk is simulated


@pytest.mark.live
def test_what_the_machine_was_set_to_is_in_a_measured_storms_recording(
    document: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "storm"
    measured = document | {"source": "measured"}
    with Recorder("storm", "/srv", folder, group="lab") as recorder:
        recorder.keep(measured, {}, ())
    recorder.tell(measured, [], as_json=True)
    told = json.loads(capsys.readouterr().out)["settings"]
    assert told["cpus"] >= 1
    assert {"idle_governor", "states", "frequencies", "turbo_allowed", "warnings"} <= set(told)
    assert json.loads((folder / "recording.json").read_text())["settings"] == told
    assert '<th scope="row">sleep states</th>' in (folder / "report.html").read_text()


def test_the_time_that_is_given_ends_it_and_rests_change_nothing() -> None:
    rested = replace(OPTIONS, recommended=9, rounds=1, rest_s=0.001, no_limit=False)
    found = measured_storm(rested)
    assert found.complete
    assert {one.run.setting.limit for one in found.rounds if one.run.setting.writes} == {128, 9, 8}
    with pytest.raises(UnableError, match="no run was finished; ended after 0 s"):
        measured_storm(replace(rested, most_s=0.0))
