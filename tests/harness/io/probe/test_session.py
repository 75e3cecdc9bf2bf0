"""`stallscope io probe` on a disk in virtual time: exact answers, documents, recordings."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.cli.command_line import main
from harness.io.probe.buckets import Scale
from harness.io.probe.panel import probe_panel
from harness.io.probe.shown import NAMES, ProbeShown, probe_shown
from harness.io.probe.text import check_text, lines
from stallscope.errors import ExitCode, RecordingError
from stallscope.histograms import read_interval_log
from stallscope.json_fields import Fields

DISK = "sim:servers=8,service=1ms"


def probed(capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, Any]:
    assert main(["io", "probe", *options, "--json"]) == 0
    made: dict[str, Any] = json.loads(capsys.readouterr().out)
    return made


def test_the_document_scripts_rely_on(capsys: pytest.CaptureFixture[str]) -> None:
    made = probed(capsys, DISK, "--count", "2000")
    assert (made["schema"], made["source"]) == ("stallscope.io.probe/1", "modelled")
    assert made["requests"] == 2000
    latency = made["latency_ns"]
    assert set(latency) >= {"min", "mean", "p50", "p90", "p99", "p99.9", "max"}
    assert latency["min"] == latency["max"] == latency["mean"] == 1_000_000
    assert latency["p50"] == pytest.approx(1_000_000, rel=1e-3)
    assert sum(count for _, _, count in made["histogram"]) == 2000
    assert all(low <= 1_000_000 <= high for low, high, _ in made["histogram"])
    assert made["self_check"]["ok"] is True
    assert made["self_check"]["littles_law_error"] == pytest.approx(0, abs=1e-3)
    assert {"littles_law_error", "cpu_delay_share"} <= set(made["self_check"])
    assert (made["page_cache"], "has none" in made["page_cache_missing"]) == (None, True)
    assert made["complete"] is True


def test_exponential_service_has_its_own_percentiles(capsys: pytest.CaptureFixture[str]) -> None:
    made = probed(capsys, f"{DISK},exponential", "--count", "20000")
    # Of n values the p-th percentile's error is sqrt(p (1 - p) / n) / density: five of these.
    assert made["latency_ns"]["p50"] == pytest.approx(693_147, rel=5 * 0.0102)
    assert made["latency_ns"]["p99"] == pytest.approx(4_605_170, rel=5 * 0.0153)


def test_a_recording_is_shown_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    made = probed(capsys, "sim:servers=1,service=4ms", "--count", "500", "-o", str(folder))
    assert made["recording"] == str(folder)
    whole = read_interval_log(folder / "direct.hlog").merged()
    assert whole is not None
    assert whole.total == 500
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert 'id="probe"' in page
    assert "modelled" in page
    assert page.count("<svg") == 2 + 1
    assert "://" not in page
    assert main(["report", str(folder), "--no-page"]) == 0
    told = capsys.readouterr().out
    assert "4 KiB random reads, one at a time, modelled" in told
    assert "to tell: p99.9 1,000, p99.99 10,000" in told
    assert main(["report", str(folder), "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert again["requests"] == 500
    # In virtual time nothing of this machine counts.
    assert again["settings"] is None
    assert made["settings"] is None
    assert json.loads((folder / "recording.json").read_text())["settings"] is None

    assert main(["io", "probe", DISK, "--count", "9", "-o", str(folder)]) == ExitCode.USAGE
    assert "already exists" in capsys.readouterr().err
    assert probed(capsys, DISK, "--count", "9", "-o", str(folder), "--force")["requests"] == 9


def test_what_people_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["io", "probe", DISK, "--count", "2000"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0] == f"{DISK} (simulated): 4 KiB random reads, one at a time, modelled"
    assert told[2].split() == ["Requests/s", *NAMES]
    assert told[3].split()[:2] == ["direct", "1,000"]
    assert told[3].split()[-3:] == ["n/a", "1.00", "ms"]
    assert any("to tell: p99.99 10,000; ask for a longer time" in line for line in told)
    (row,) = [line for line in told if "█" in line]
    assert row.split()[:7] == ["1.00", "ms", "-", "1.25", "ms", "2,000", "100"]
    assert any("self check passed" in line for line in told)


def shown_of(capsys: pytest.CaptureFixture[str], **changes: Any) -> ProbeShown:
    made = probed(capsys, DISK, "--count", "200")
    return probe_shown(Fields(made | changes, "probe"))


def test_a_failed_self_check_is_said_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    failed = {"ok": False, "failed": ["31 % of the time our own CPU was not ours"]}
    check = {"littles_law_error": None, "cpu_delay_share": 0.31, **failed}
    shown = shown_of(capsys, self_check=check, errors={"EIO": 3}, complete=False)
    text = "\n".join(lines(shown, Scale.LINEAR, 100))
    assert "SELF CHECK FAILED: do not rely on these numbers: 31 % of the time" in text
    assert "3 requests failed with EIO" in text
    assert "interrupted" in text
    panel = probe_panel(shown, {}).markup
    assert "SELF CHECK FAILED" in panel
    assert "EIO" in panel
    assert "over time" not in panel  # of a fifth of a second
    assert "neither" not in check_text(replace(shown.reads[0], ok=True))


def test_the_page_caches_parts_and_own_time_are_named_as_what_they_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    parts = {"queued": 70.0, "submitting": None, "device": 900.0, "own_cpu": 0.0}
    check = {"littles_law_error": 0.06, "cpu_delay_share": 0.0, "ok": True, "failed": []}
    shown = shown_of(capsys, cache="page cache", parts_ns=parts, self_check=check)
    text = " ".join(" ".join(lines(shown, Scale.LOGARITHMIC, 100)).split())
    assert "before submitting 70.0 ns, in the system call 900 ns" in text
    assert "off Little's law by 6.00 %, which is our own time between two requests" in text


def test_a_narrow_terminal_has_figures_below_one_another(
    capsys: pytest.CaptureFixture[str],
) -> None:
    told = list(lines(shown_of(capsys), Scale.LOGARITHMIC, 50))
    assert any(line.startswith("p99 ") for line in told)
    assert all(len(line) <= 50 for line in told)


@pytest.mark.parametrize(
    "histogram", [[[1, 2]], [[2, 1, 3]], [[1, 2, -1]], [[5, 6, 1], [1, 2, 1]], "x", [[1, 2, "3"]]]
)
def test_damaged_documents_are_refused(
    capsys: pytest.CaptureFixture[str], histogram: object
) -> None:
    with pytest.raises(RecordingError, match="histogram"):
        shown_of(capsys, histogram=histogram)


def test_hostile_texts_are_escaped(capsys: pytest.CaptureFixture[str]) -> None:
    evil = "<b>\x1b[31m\u202ex"
    shown = shown_of(capsys, path=evil, warnings=[evil], facts={evil: evil}, kind=evil)
    assert "\x1b" not in "\n".join(lines(shown, Scale.LINEAR, 100))
    markup = probe_panel(shown, {}).markup
    assert "<b>" not in markup
    assert "\x1b" not in markup


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--block", "x"), "--block: 'x' is not a size"),
        (("--cached", "--ways", "direct"), "exclude each other"),
        (("--force",), "add -o DIR"),
    ],
)
def test_options_that_make_no_sense(
    capsys: pytest.CaptureFixture[str], options: tuple[str, ...], said: str
) -> None:
    assert main(["io", "probe", DISK, *options]) == ExitCode.USAGE
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("path", ["/none/there", "sim:servers=0,service=1ms", "/dev/null"])
def test_paths_that_cannot_be_measured(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["io", "probe", path]) == ExitCode.USAGE
    assert capsys.readouterr().err.count("\n") == 2
