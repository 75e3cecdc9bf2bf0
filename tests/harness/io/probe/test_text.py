"""The text of a probe for a terminal."""

import pytest
from msgspec import structs

from harness.cli.command_line import main
from harness.io.latencies import NAMES
from harness.io.probe.histogram_rows import Scale
from harness.io.probe.panel import panels
from harness.io.probe.text import check_text, lines
from tests.harness.io.probe.results import DISK, result


def test_the_text_has_a_table_a_histogram_and_the_self_check(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["io", "probe", DISK, "--count", "2000"]) == 0
    text = capsys.readouterr().out.splitlines()
    assert text[0] == f"{DISK} (simulated): 4 KiB random reads, one at a time, modelled"
    assert text[2].split() == ["Requests/s", *NAMES]
    assert text[3].split()[:2] == ["direct", "1,000"]
    assert text[3].split()[-3:] == ["n/a", "1.00", "ms"]
    assert any("Requests needed: p99.99 10,000; use a longer --duration" in line for line in text)
    (row,) = [line for line in text if "█" in line]
    assert row.split()[:7] == ["1.00", "ms", "-", "1.25", "ms", "2,000", "100"]
    assert any("self check passed" in line for line in text)


def test_a_failed_self_check_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    check = {
        "littles_law_error": None,
        "cpu_delay_share": 0.31,
        "ok": False,
        "failed": ["31 % of the time our own CPU was not ours"],
    }
    failed = result(capsys, self_check=check, errors={"EIO": 3}, complete=False)
    text = "\n".join(lines(failed, 100, Scale.LINEAR))
    assert "SELF CHECK FAILED: do not rely on these numbers: 31 % of the time" in text
    assert "3 requests failed with EIO" in text
    assert "interrupted" in text
    (panel,) = panels(failed)
    assert "SELF CHECK FAILED" in panel.markup
    assert "EIO" in panel.markup
    assert "over time" not in panel.markup  # the series has two steps
    reads = failed.reads["direct"]
    passed = structs.replace(reads, self_check=structs.replace(reads.self_check, ok=True))
    assert "neither" not in check_text(passed)


def test_parts_of_cached_reads_and_probe_overhead_are_printed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    parts = {"queued": 70.0, "submitting": None, "device": 900.0, "own_cpu": 0.0}
    check = {"littles_law_error": 0.06, "cpu_delay_share": 0.0, "ok": True, "failed": []}
    cached = result(capsys, cache="page cache", parts_ns=parts, self_check=check)
    text = " ".join(" ".join(lines(cached, 100)).split())
    assert "before submission 70.0 ns, in the system call 900 ns" in text
    assert "6.00 % off Little's law, our own time between requests" in text


def test_a_narrow_terminal_gets_a_transposed_table(capsys: pytest.CaptureFixture[str]) -> None:
    text = list(lines(result(capsys), 50))
    assert any(line.startswith("p99 ") for line in text)
    assert all(len(line) <= 50 for line in text)


def test_hostile_texts_are_escaped(capsys: pytest.CaptureFixture[str]) -> None:
    hostile_text = "<b>\x1b[31m\u202ex"
    hostile = result(
        capsys,
        path=hostile_text,
        warnings=[hostile_text],
        facts={hostile_text: hostile_text},
        kind=hostile_text,
    )
    assert "\x1b" not in "\n".join(lines(hostile, 100, Scale.LINEAR))
    (panel,) = panels(hostile)
    assert "<b>" not in panel.markup
    assert "\x1b" not in panel.markup
