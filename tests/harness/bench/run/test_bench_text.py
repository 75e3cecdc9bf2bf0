"""bench.txt: result lines of runs, printed lines under a key of their command."""

from harness.bench.plan.commands import MatrixPlace
from harness.bench.run.bench_text import _row_lines, benchmark_lines, operation_times_ns, text_lines
from harness.bench.run.measurement import Measured, PrintedLines
from stallscope.recordings import RecordedHost


def test_only_result_lines_are_taken_from_output() -> None:
    output = (
        b"BenchmarkA 1 2 ns/op\nBenchmarking now\nBenchmarkB-8   20  1e3 ns/op 5 B/op\n"
        b"BenchmarkC\nBenchmarkD 1 2\n\xff\nok pkg 1s\n"
    )
    lines, junk = benchmark_lines(output)
    assert lines == ("BenchmarkA 1 2 ns/op", "BenchmarkB-8   20  1e3 ns/op 5 B/op")
    assert junk == "BenchmarkD 1 2"


def test_numbers_are_numbers() -> None:
    assert benchmark_lines(b"BenchmarkA 1 x ns/op\n") == ((), "BenchmarkA 1 x ns/op")
    assert benchmark_lines(b"BenchmarkA 1 NaN ns/op\n")[0] == ("BenchmarkA 1 NaN ns/op",)


def test_printed_lines_stand_under_the_key_of_their_command() -> None:
    measured = Measured(printed=[PrintedLines(0, ("BenchmarkGet 1 2 ns/op",))])
    lines = list(text_lines(["Kv"], measured, RecordedHost(hostname="box"), "1.0"))
    assert lines[:2] == ["stallscope: 1.0", "host: box"]
    assert lines[-3:] == ["command: Kv", "BenchmarkGet 1 2 ns/op", "command:"]


def test_several_names_of_one_client_stay_apart() -> None:
    place = MatrixPlace(label="kv-c", dataset="small")
    lines = ["BenchmarkGet 1 5 ns/op", "BenchmarkSet 1 9 ns/op"]
    assert _row_lines(place, lines) == [
        "BenchmarkKv-c/Get 1 5 ns/op",
        "BenchmarkKv-c/Set 1 9 ns/op",
    ]
    assert _row_lines(place, lines[:1]) == ["BenchmarkKv-c 1 5 ns/op"]
    assert list(operation_times_ns(lines)) == [5.0]
