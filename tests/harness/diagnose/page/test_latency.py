from pathlib import Path

from harness.diagnose.page.latency import RequestLatency, latency_section, probe_reads
from harness.diagnose.path_probe import FILE, PathProbe
from tests.harness.diagnose.page.contents import content


def test_reads_of_a_path_are_drawn_over_time() -> None:
    made = content()
    section = latency_section(
        RequestLatency(), made.measurements.probe, made.reads, made.extent_ns[0]
    )
    assert "Latency of reads over time" in section.markup
    assert "5.00 ms" in section.markup


def test_without_latencies_the_section_says_what_measures_them() -> None:
    section = latency_section(RequestLatency(), None, (), 0)
    assert section.state == "unavailable"
    assert "stallscope load" in section.markup
    missing = PathProbe("/data", None, missing="no file of at least 4096 bytes in it")
    assert "no file of at least" in latency_section(RequestLatency(), missing, (), 0).markup


def test_a_damaged_file_of_reads_has_no_reads(tmp_path: Path) -> None:
    assert probe_reads(tmp_path) == ()
    (tmp_path / FILE).write_text("{}\n{bad\n")
    assert probe_reads(tmp_path) == ()
