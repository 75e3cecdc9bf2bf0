"""The text of a probe for a terminal."""

import pytest

from harness.cli.command_line import main
from harness.io.latencies import NAMES
from harness.io.probe.text import lines
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
