"""The text of `bench scale`."""

from harness.bench.scale.text import csv_lines, lines
from tests.harness.bench.scale.results import BESIDE, usl_result


def test_all_parts_are_printed() -> None:
    text = "\n".join(lines(usl_result(cpus=4, beside=BESIDE)[0], 100))
    for part in (
        "./work --threads {n}: req/s by threads (measured)",
        "Retrograde: throughput peaks at 7 threads",
        "Universal scalability law (95 % intervals, df 3)",
        "sigma   0.02 (0.02 to 0.02)",
        "Amdahl's law",
        "4 CPUs are saturated at 400",
        "CPU s per operation",
        "Recorded at",
        "60.0 %",
    ):
        assert part in text


def test_few_points_have_no_verdict() -> None:
    text = "\n".join(lines(usl_result((1, 2))[0], 100))
    assert "No verdict: 2 counts of threads" in text
    assert "Universal scalability law: not fitted" in text


def test_csv_has_a_line_per_point() -> None:
    rows = list(csv_lines(usl_result((1, 2))[0]))
    assert rows[1] == "1,100,100,100,2,1,1,,"
    assert len(rows) == 3
