"""Every command line in the documents is understood, and those that change nothing run."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from tests.house.examples import PAGES, ROOT, example_lines, parse, words_of

LINES = sorted({line for page in PAGES for line in example_lines(page)})
# Commands that only read, or write below the current directory or HOME.
HARMLESS = {
    "cache",
    "completion",
    "diff",
    "doctor",
    "flame",
    "kernels",
    "man",
    "program",
    "report",
    "schema",
}
# Options of harmless commands that are not: they change the machine, need a process, or another recording.
NOT_RUN = {"--fix", "-p", "divide-chain", "request", "wall", "off-cpu", "1%", "cycles", "slots"}
RECORDINGS = {
    "slow-query": "tests/captures/file.perf",
    "before": "tests/captures/file.perf",
    "after": "tests/captures/file.perf",
    "perf.data": "tests/captures/file.perf",
    "always/segment-000012": "tests/captures/file.perf",
    "copy": "tests/captures/file.perf",
    "cpu.pb.gz": "tests/captures/file.perf",  # the content decides
}


def harmless(line: str) -> bool:
    words = words_of(line)
    return words[0] in HARMLESS and not NOT_RUN & set(words)


@pytest.fixture
def workplace(tmp_path: Path) -> Path:
    """Return a directory with the recordings that the examples name."""
    for name, source in RECORDINGS.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        if (ROOT / source).is_dir():
            shutil.copytree(ROOT / source, tmp_path / name)
        else:
            shutil.copy(ROOT / source, tmp_path / name)
    for name in ("tests", "examples"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "symbols").mkdir()
    return tmp_path


@pytest.mark.parametrize("line", LINES)
def test_every_documented_command_line_is_understood(
    line: str, workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command parses the line and checks every option and value; it does not run."""
    monkeypatch.chdir(workplace)
    parse(words_of(line))


@pytest.mark.parametrize("line", [line for line in LINES if harmless(line)])
def test_documented_command_lines_that_only_read_succeed(line: str, workplace: Path) -> None:
    ended = subprocess.run(
        [Path(sys.executable).with_name("stallscope"), *words_of(line)],
        cwd=workplace,
        env={**os.environ, "HOME": str(workplace), "XDG_CACHE_HOME": str(workplace / "cache")},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout or "-o" in line or "--directory" in line


def test_the_examples_of_the_documents_are_found() -> None:
    assert len(LINES) > 150
    assert sum(map(harmless, LINES)) > 20


@pytest.mark.parametrize("words", [["nosuch"], ["top", "--nosuch"], ["io", "curve", "--depth"]])
def test_a_wrong_command_line_is_refused(words: list[str]) -> None:
    with pytest.raises(click.UsageError):
        parse(words)


def test_lines_are_read_from_shell_blocks_and_after_prompts(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "```sh\nsudo stallscope io probe /x | head   # remark\nstallscope top \\\n  --once\n```\n"
        "```text\n$ stallscope doctor > file\nstallscope: error: no\n```\n"
    )
    lines = example_lines(page)
    assert [words_of(line) for line in lines] == [
        ["io", "probe", "/x"],
        ["top", "--once"],
        ["doctor"],
    ]
