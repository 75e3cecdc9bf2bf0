"""`stallscope man`: every command has a page that man shows and mandoc accepts."""

import shutil
import subprocess
from pathlib import Path

import click
import pytest

from harness.cli.command_line import COMMANDS, group, main


@pytest.fixture
def pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a directory with all pages, of a fixed date."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    assert main(["man", "--directory", str(tmp_path / "man1")]) == 0
    return tmp_path / "man1"


def test_every_command_and_verb_has_a_page(pages: Path) -> None:
    expected = {"stallscope"}
    for name in COMMANDS:
        expected.add(f"stallscope-{name}")
        command = group.get_command(click.Context(group), name)
        if isinstance(command, click.Group):
            verbs = command.list_commands(click.Context(command))
            expected |= {f"stallscope-{name}-{verb}" for verb in verbs}
    assert {path.stem for path in pages.iterdir()} == expected


def test_lint_has_no_warning(pages: Path) -> None:
    if shutil.which("mandoc") is None:
        pytest.skip("needs the program mandoc")
    lint = ["mandoc", "-T", "lint", "-W", "warning", *map(str, sorted(pages.iterdir()))]
    ended = subprocess.run(lint, capture_output=True, text=True, check=False)
    assert ended.stdout == ""
    assert ended.returncode == 0


def test_man_shows_a_page_without_a_warning(pages: Path) -> None:
    if shutil.which("man") is None or not Path("/usr/bin/groff").exists():
        pytest.skip("needs the program man")
    shown = subprocess.run(
        ["man", "--warnings", "-l", str(pages / "stallscope-io-curve.1")],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C", "MANWIDTH": "100"},
    )
    assert shown.stderr == ""
    assert "stallscope io curve [OPTIONS] PATH" in shown.stdout
    assert "--slo-p99 TIME" in shown.stdout
    assert "stallscope io curve /var/lib/db" in shown.stdout
    assert "2023-11-14" in shown.stdout


def test_one_page_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["man", "cstates", "show"]) == 0
    assert '.TH "STALLSCOPE-CSTATES-SHOW" 1' in capsys.readouterr().out
    assert main(["man"]) == 0
    assert '.TH "STALLSCOPE" 1' in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "date"),
    [(["man", "nosuch"], ""), (["man", "--directory", "x", "io"], ""), (["man"], "tomorrow")],
)
def test_wrong_usage_is_one_message(
    arguments: list[str],
    date: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", date)
    assert main(arguments) == 2
    assert "remedy: " in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
