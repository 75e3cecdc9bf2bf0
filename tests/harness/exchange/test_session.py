"""`stallscope import` on files of every format."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from harness.commands.import_ import command
from harness.profile.analysis import analyze
from harness.profile.result import profile_result
from harness.profile.text import summary_text
from stallscope.errors import RecordingError, StallscopeError, UsageError
from stallscope.recordings import open_recording
from tests.documents import assert_valid
from tests.topdown.stacks.formats.test_perf_script import TEXT
from topdown.stacks.formats.otlp import decode_otlp
from topdown.stacks.formats.pprof import encode_pprof
from topdown.stacks.formats.stack_tables import (
    Label,
    Location,
    SourceFunction,
    SourceLine,
    StackKey,
    StackTables,
    ValueType,
)

FIO = {
    "fio version": "fio-3.33",
    "jobs": [
        {
            "jobname": "x",
            "read": {
                "total_ios": 256,
                "iops": 12800.0,
                "clat_ns": {
                    "mean": 75600.0,
                    "max": 1e6,
                    "N": 256,
                    "percentile": {"50.000000": 66e3, "99.000000": 157e3},
                },
            },
            "write": {"total_ios": 0},
        }
    ],
}
HLOG = Path(__file__).parents[2] / "recordings/probe/direct.hlog"


def run(*words: object) -> str:
    result = CliRunner().invoke(command, [str(word) for word in words])
    if isinstance(result.exception, StallscopeError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


def document(path: Path) -> dict[str, object]:
    printed = run(path, "--json")
    assert_valid("import", printed)
    content: dict[str, object] = json.loads(printed)
    return content


def test_folded_text_goes_to_standard_output(tmp_path: Path) -> None:
    file = tmp_path / "perf.txt"
    file.write_bytes(TEXT)
    assert "java;org/x/Y:.call 7\n" in run(file, "--folded", "-")
    assert "java-?/12;org/x/Y:.call_[j] 7\n" in run(file, "--folded", "-", "--tid", "--all")
    assert (
        run(file, "--folded", "-", "--event-filter", "cpu-clock") == "java;foo;bar_[i];qux_[i] 1\n"
    )


def test_inlined_functions_of_files_that_are_missing_keep_their_names(tmp_path: Path) -> None:
    file = tmp_path / "perf.txt"
    file.write_bytes(TEXT)
    assert run(file, "--folded", "-", "--inline") == run(file, "--folded", "-")


def test_a_file_is_converted(tmp_path: Path) -> None:
    file, other = tmp_path / "perf.txt", tmp_path / "x.pb.gz"
    file.write_bytes(TEXT)
    run(file, "-o", other)
    assert document(other)["format"] == "pprof"
    folded = run(other, "--folded", "-")
    assert "noblank;last 5\n" in folded  # the value of the type, as the period of perf script
    counts = run(other, "--folded", "-", "-e", "samples")
    assert "noblank;last 1\n" in counts
    run(other, "-o", tmp_path / "x.folded")
    assert (tmp_path / "x.folded").read_text() == folded
    run(other, "-o", tmp_path / "x.svg")
    assert (tmp_path / "x.svg").read_text().startswith("<svg")


def test_stacks_are_summarized(tmp_path: Path) -> None:
    file = tmp_path / "perf.txt"
    file.write_bytes(TEXT)
    stacks = document(file)["stacks"]
    assert isinstance(stacks, dict)
    assert (stacks["event"], stacks["samples"], stacks["value"]) == ("cycles:u", 4, 250_017)
    assert stacks["functions"][0]["name"] == "native_safe_halt"
    assert "native_safe_halt" in run(file)


@pytest.mark.parametrize(
    ("text", "part", "row"),
    [
        (
            "123,,instructions,1000,50.00,,\n<not supported>,,cycles,0,0.00,,\n",
            "counts",
            {"event": "instructions", "count": 123.0, "running_share": 0.5, "reason": None},
        ),
        (
            "BenchmarkX 1 2 ns/op\nBenchmarkX 1 4 ns/op\n",
            "benchmarks",
            {"name": "X", "unit": "sec/op", "n": 2},
        ),
        (
            json.dumps(FIO),
            "latencies",
            {"name": "x read", "requests": 256, "p50_ns": 66e3, "p90_ns": None, "p99_ns": 157e3},
        ),
    ],
)
def test_other_content_is_summarized(
    tmp_path: Path, text: str, part: str, row: dict[str, object]
) -> None:
    file = tmp_path / "x"
    file.write_text(text)
    rows = document(file)[part]
    assert isinstance(rows, list)
    assert row.items() <= rows[0].items()
    assert str(row.get("name", row.get("event"))) in run(file)


def test_a_histogram_log_is_merged() -> None:
    (row,) = document(HLOG)["latencies"]  # type: ignore[misc]
    assert row["requests"] > 0
    assert row["p50_ns"] <= row["p99_ns"] <= row["max_ns"]


@pytest.mark.parametrize(
    ("content", "error", "message"),
    [
        (b"", RecordingError, "is empty"),
        (b"\x7fELF\0\0", RecordingError, "has no known format"),
        (b"hello\n", RecordingError, "has no known format"),
        (b"\x1f\x8b\x08damaged", RecordingError, "has no known format|is damaged"),
    ],
)
def test_other_files_are_errors(
    tmp_path: Path, content: bytes, error: type[Exception], message: str
) -> None:
    file = tmp_path / "x"
    file.write_bytes(content)
    with pytest.raises(error, match=message):
        run(file)


def test_options_that_contradict_the_file_are_errors(tmp_path: Path) -> None:
    for words in ((), ("--format", "folded")):
        with pytest.raises(UsageError, match="there is no file"):
            run(tmp_path / "none", *words)
        with pytest.raises(UsageError, match="is a directory"):
            run(tmp_path, *words)
        with pytest.raises(UsageError, match="is not a regular file"):
            run("/dev/null", *words)
    file = tmp_path / "x"
    file.write_text("BenchmarkX 1 2 ns/op\n")
    with pytest.raises(UsageError, match="has no stacks"):
        run(file, "--folded", "-")
    with pytest.raises(UsageError, match="change folded names only"):
        run(file, "--tid")
    file.write_text("srv;main 1\n")
    with pytest.raises(UsageError, match="a file of folded has no events"):
        run(file, "-e", "cycles")
    with pytest.raises(UsageError, match="has none of the suffixes") as raised:
        run(file, "-o", tmp_path / "x.unknown")
    assert "--format" not in raised.value.remedy  # which names the format of FILE here
    with pytest.raises(UsageError, match="apply to perf script only, not to folded"):
        run(file, "--tid", "--folded", "-")
    with pytest.raises(UsageError, match="exclude each other"):
        run(file, "--folded", "-", "-o", "x.svg")


TABLES = StackTables(
    value_types=(ValueType("samples", "count"), ValueType("cpu", "nanoseconds")),
    samples={
        StackKey(
            (Location((SourceLine(SourceFunction("f", "_Zf", "f.c", 3), 7),), None, 0x1234),),
            (Label("request", "GET /"),),
        ): (2, 20)
    },
    time_ns=5,
    duration_ns=1_500_000_000,
    default_type="samples",
)


def test_a_conversion_between_pprof_and_otlp_keeps_labels_addresses_and_lines(
    tmp_path: Path,
) -> None:
    pprof, otlp, again = (tmp_path / name for name in ("a.pb.gz", "b.otlp", "c.pb.gz"))
    pprof.write_bytes(encode_pprof(TABLES))
    run(pprof, "-o", otlp)
    assert decode_otlp(otlp.read_bytes(), "b") == TABLES
    run(otlp, "-o", again)
    assert again.read_bytes() == pprof.read_bytes()


def test_a_duration_is_stated_only_if_the_file_has_it(tmp_path: Path) -> None:
    folded, pprof, script = (tmp_path / name for name in ("a", "b", "c"))
    folded.write_text("srv;main 1\n")
    pprof.write_bytes(encode_pprof(TABLES))
    script.write_text("a 1/1 1.25: 7 cycles:u:\n\na 1/1 3.5: 7 cycles:u:\n")
    texts = {path: report(path) for path in (folded, pprof, script)}
    assert "1 samples in an unknown time" in texts[folded]
    assert "unknown scope" in texts[folded]
    assert "2 samples in 1.5 s" in texts[pprof]
    assert "2 samples in 2.2 s" in texts[script]
    assert "measured, user\n" in texts[script]


def report(path: Path) -> str:
    """Return what `stallscope report` prints of a file."""
    recording = open_recording(path)
    result = profile_result(analyze(recording), recording=path, report=None)
    return summary_text(result)


def test_commands_quote_the_name_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "my stacks"
    file.write_text("srv;main 1\n")
    assert f"stallscope report '{file}'" in run(file)
