"""`stallscope io watch`: its document, text and page, of a watch made by hand; strangers' names."""

import copy
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.cli.command_line import main
from harness.io.watch.document import document
from harness.io.watch.report import log_lines, reported
from harness.io.watch.shown import watch_shown
from harness.io.watch.text import HEADS, cells_of, lines, progress_line
from harness.page.panels import Head, render_panels
from ioprobe.watch.tracing import WatchProgress
from stallscope.errors import RecordingError
from stallscope.histograms import read_interval_log
from stallscope.json_fields import Fields
from stallscope.tracing import instance
from tests.harness.io.watch.watches import ASKED, DISK, made_watch


@pytest.fixture
def made(tmp_path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        json.dumps(document(made_watch(tmp_path), ASKED, ["a note"]))
    )
    return found


def test_the_document_tells_all_that_was_watched(made: dict[str, Any]) -> None:
    assert made["schema"] == "stallscope.io.watch/1"
    reads, writes = made["rows"]
    assert (reads["device"], reads["direction"], reads["requests"]) == ("sda", "read", 100)
    assert reads["queue_ns"]["p50"] == 10
    assert reads["device_ns"]["max"] == 100
    assert reads["total_ns"]["mean"] == 110
    assert reads["histogram"] == [[100, 100, 100]]
    assert (writes["queued"], writes["queue_ns"]) == (0, None)  # missing is not zero
    assert writes["errors"] == {"EIO": 1}
    first = made["processes"][0]
    assert (first["name"], first["requests"]) == ("database", 90)
    assert made["under_way"] == {"at_start": 0, "at_end": 1}
    assert made["lost"]["events"] == 0
    assert made["overhead"]["events"] == 303
    assert made["overhead"]["own_cpu_share"] == 0.025
    assert sum(map(sum, made["heat"]["columns"])) == 101
    assert made["warnings"] == ["a note"]


def test_a_loss_is_said_and_what_was_under_way_at_the_start_is_not_known(tmp_path: Path) -> None:
    made = document(made_watch(tmp_path, lost=7), ASKED, [])
    assert made["under_way"] == {"at_start": None, "at_end": 1}
    text = "\n".join(lines(watch_shown(Fields(made, "x")), 100))
    assert "the kernel lost 7 events" in text
    assert "at the start not known" in text
    assert "no tracepoint block:block_getrq" in text


def test_losses_that_are_not_known_are_not_zero(tmp_path: Path) -> None:
    made = document(replace(made_watch(tmp_path), lost_events=None), ASKED, [])
    assert made["lost"]["events"] is None
    assert made["under_way"] == {"at_start": None, "at_end": 1}
    text = "\n".join(lines(watch_shown(Fields(made, "x")), 100))
    assert "lost: events: unknown; 0 requests under way then" in text
    assert "the kernel did not tell how many events it lost" in text
    told = WatchProgress(1.0, 1.0, 1, 1, None, None, 0, lost_events=None)
    assert progress_line(told).endswith(", events lost: unknown")


def test_people_read_tables_a_heat_map_and_facts(made: dict[str, Any]) -> None:
    text = "\n".join(lines(watch_shown(Fields(made, "x")), 100))
    assert text.startswith("Block requests of 2.0 s: sda\n")
    assert "sda read" in text
    assert "database (40)" in text
    assert "128K-256K" in text
    assert "█" in text
    assert "100 reads (1 merged), 1 writes" in text
    assert "2.5 % of one" in text
    assert "\x1b" not in text
    assert "\u202e" not in text


@pytest.mark.parametrize("room", [70, 80, 100, 140])
def test_tables_fit_the_terminal(made: dict[str, Any], room: int) -> None:
    told = list(lines(watch_shown(Fields(made, "x")), room))
    assert max(map(len, told)) <= room
    heads = next(line for line in told if line.startswith("Device"))
    assert ("p99.9" in heads) == (room >= 100)
    assert "p50" in heads
    assert "max" in heads


def test_percentiles_that_too_few_requests_tell_are_not_made_up(made: dict[str, Any]) -> None:
    reads, writes = watch_shown(Fields(made, "x")).rows
    assert (reads.requests, writes.requests) == (100, 1)
    told = dict(zip(HEADS[6:], cells_of(writes, 2.0)[6:], strict=True))
    assert told["Device p50"] == told["max"] != "n/a"
    assert (told["p90"], told["p99"], told["p99.9"]) == ("n/a", "n/a", "n/a")
    told = dict(zip(HEADS[6:], cells_of(reads, 2.0)[6:], strict=True))
    assert told["p99"] != "n/a"
    assert told["p99.9"] == "n/a"


def test_names_of_strangers_are_no_markup_of_the_page(made: dict[str, Any], tmp_path: Path) -> None:
    made["rows"][0]["device"] = '"><script>alert(1)</script>'
    shown = reported(tmp_path, Fields(made, "x"), 100)
    page = render_panels(shown.panels, Head(shown.title, "x", "disk", shown.source), {})
    assert "<script>alert" not in page
    assert "<b>\x1b" not in page
    assert "\u202e" not in page
    assert page.count('class="watch-cell"') > 10


def broken(made: dict[str, Any], *path: str | int, value: object) -> Fields:
    changed = copy.deepcopy(made)
    at: Any = changed
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    return Fields(changed, "watch.json")


def test_damaged_documents_are_refused(made: dict[str, Any]) -> None:
    for fields in (
        broken(made, "rows", value={}),
        broken(made, "rows", 0, "requests", value=-1),
        broken(made, "rows", 0, "histogram", value=[[5, 1, 1]]),
        broken(made, "rows", 0, "histogram", value=[[1, 2**63, 1]]),
        broken(made, "rows", 0, "histogram", value=7),
        broken(made, "rows", 0, "errors", value={"EIO": "many"}),
        broken(made, "heat", "columns", value=[[1, 2]]),
        broken(made, "heat", "columns", 0, value=["x"]),
        broken(made, "devices", 0, "device", value=None),
        broken(made, "seconds", value="long"),
        broken(made, "seconds", value=None),
        broken(made, "heat", "column_s", value=None),
        broken(made, "overhead", "own_cpu_s", value=None),
    ):
        with pytest.raises(RecordingError):
            list(lines(watch_shown(fields), 100))


def test_a_watch_in_which_nothing_happened_says_so() -> None:
    empty = {
        "devices": [],
        "seconds": 1.0,
        "heat": {"column_s": 0.1},
        "under_way": {"at_end": 0, "at_start": 0},
    }
    empty |= {
        "lost": {"events": 0, "requests_discarded": 0},
        "overhead": {"events": 0, "own_cpu_s": 0.1},
    }
    names = ("requeues", "merged_requests", "splits", "partial", "same_sector")
    empty["on_the_way"] = dict.fromkeys(names, 0)
    text = "\n".join(lines(watch_shown(Fields(empty, "x")), 100))
    assert "no device did anything" in text


def test_the_log_has_a_line_each_device_direction_and_time(tmp_path: Path) -> None:
    path = tmp_path / "latency.hlog"
    path.write_text("".join(log_lines(made_watch(tmp_path), {DISK: "sda"})))
    text = path.read_text()
    tags = [line.split(",")[0] for line in text.splitlines() if line.startswith("Tag=")]
    assert tags == [
        "Tag=sda.read.queue",
        "Tag=sda.read.device",
        "Tag=sda.read.total",
        "Tag=sda.write.device",
        "Tag=sda.write.total",
    ]
    assert [each.histogram.total for each in read_interval_log(path).intervals] == [100] * 3 + [
        1,
        1,
    ]


def test_the_live_line_tells_rates_and_losses() -> None:
    line = progress_line(WatchProgress(3.0, 0.5, 1000, 4_096_000, 150_000.0, None, 4, 9))
    assert "2,000 requests/s, 8.2 MB/s, p50 150 µs, p99 n/a, 4 under way, 9 events lost" in line


def test_wrong_words_are_usage_errors(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["-d", "no-such-disk"], ["-d", ""], ["--duration", "nan"], ["-p", "0"]):
        assert main(["io", "watch", *words]) == 2
        assert "error" in capsys.readouterr().err.lower()


@pytest.mark.parametrize(("user", "why"), [(1000, "only root can use tracepoints"), (0, "tracefs is not mounted")])
def test_without_tracepoints_one_message_says_why(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    user: int,
    why: str,
) -> None:
    monkeypatch.setattr(instance, "TRACEFS", (tmp_path / "none",))
    monkeypatch.setattr("os.geteuid", lambda: user)
    folder = tmp_path / "run"
    assert main(["io", "watch", "--duration", "1", "-o", str(folder)]) == 3
    told = capsys.readouterr()
    assert why in told.err
    assert told.err.count("error") == 1
    assert told.out == ""
    assert not folder.exists()  # nothing was watched
