"""Options of the memory lab from the command line."""

from pathlib import Path

import pytest

from harness.cli.command_line import main
from harness.labs.memory.options import OptionTexts, memory_options
from harness.labs.memory.points import Pages
from stallscope.errors import ExitCode


def test_values_are_parsed() -> None:
    texts = OptionTexts(
        min_size="8K", max_size="64 MiB", pages="small", strides="4160,4K,4096", threads="2,1"
    )
    options = memory_options(texts, quick=True, cpu_count=2)
    assert (options.min_bytes, options.max_bytes) == (8192, 2**26)
    assert options.pages == (Pages.SMALL,)
    assert (options.strides, options.threads, options.quick) == ((4096, 4160), (1, 2), True)


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (["--min-size", "2K"], "--min-size"),
        (["--max-size", "many"], "--max-size"),
        (["--max-size", "9999G"], "--max-size"),
        (["--min-size", "2M", "--max-size", "1M"], "--min-size 2M is more than --max-size 1M"),
        (["--strides", "100"], "--strides"),
        (["--strides", ""], "--strides"),
        (["--strides", ",".join(["4096"] * 65)], "--strides"),
        (["--threads", "0"], "--threads"),
        (["--threads", "99999"], "--threads"),
        (["--threads", "1,x"], "--threads"),
        (["--cpus", "x"], "--cpus"),
        (["--cpus", "65000"], "may not use CPU 65000"),
        (["--pages", "tiny"], "--pages"),
        (["-o", "curve.pdf"], "curve.pdf"),
        (["-o", "/nonexistent/curve.svg"], "No such file or directory"),
    ],
)
def test_invalid_values_are_named(
    arguments: list[str], names: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lab", "memory", *arguments]) == ExitCode.USAGE
    written = capsys.readouterr()
    assert names in written.err
    assert written.out == ""


def test_an_invalid_command_line_writes_no_file(tmp_path: Path) -> None:
    path = tmp_path / "curve.svg"
    assert main(["lab", "memory", "-o", str(path), "--min-size", "x"]) == ExitCode.USAGE
    assert not path.exists()
