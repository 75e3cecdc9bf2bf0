"""Requests that `stallscope topdown` refuses before a measurement."""

import os
from pathlib import Path

import pytest

from harness.cli.command_line import main
from stallscope.errors import ExitCode


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["topdown", *words]) == ExitCode.USAGE
    output = capsys.readouterr()
    assert output.out == ""
    return " ".join(output.err.split())


@pytest.mark.parametrize(
    ("words", "expected_text"),
    [
        (("-p", "1", "-a"), "name exactly one target"),
        ((), "for example: stallscope topdown -p"),
        (("-p", "1", "--", "true"), "name exactly one target"),
        (("-p", "1", "2"), "separate process ids with commas"),
        (("-p", "0"), "is not a process id"),
        (("--source", "replay:x", "-p", "1"), "-p has no effect with --source replay"),
        (("--source", "replay:x", "-I", "100"), "-I has no effect with --source replay"),
        (("--source", "replay:x", "--no-multiplex"), "--no-multiplex has no effect"),
        (("--source", "replay:x", "--", "true"), "-- CMD has no effect with --source replay"),
        (("--source", "model", "-p", "1"), "runs a program under simulation"),
        (("--source", "model", "-e", "cycles", "--", "true"), "-e has no effect with"),
        (("--source", "model", "--drill", "--", "true"), "--drill has no effect with"),
        (("--source", "model", "--cpu", "skz", "--", "true"), "unknown CPU model 'skz'"),
        (("--source", "model", "--cpu", "neoverse-n2", "--", "true"), "is not an x86-64"),
        (("--source", "model", "-d", "5", "--", "true"), "--duration has no effect with"),
        (("-I", "5", "--", "true"), "-I 5 is too short"),
        (("-I", "0", "--", "true"), "invalid value for '-I'"),
        (("-I", "3600001", "--", "true"), "-I 3600001 is too long"),
        (("-I", "100", "--repeat", "3", "--", "true"), "-I and --repeat exclude each other"),
        (("--repeat", "1", "--", "true"), "invalid value for '--repeat'"),
        (("-l", "0", "-a"), "invalid value for '-l'"),
        (("-a", "--json", "--csv"), "--json and --csv exclude each other"),
        (("-a", "-o", "plot.svg"), "a picture needs intervals"),
        (("-a", "-I", "50", "-o", "/no/such/plot.svg"), "no such directory: /no/such"),
        (("-a", "-o", "slots.json"), "--json and --csv print to stdout"),
        (("--source", "model", "-o", "kept", "--", "true"), "the model produces no recording"),
        (("--cpu", "skz", "--", "true"), "unknown CPU model 'skz'"),
        (("--model-timeout", "5", "--", "true"), "simulates nothing"),
        (("--source", "replay:x", "-o", "page.html"), "-o has no effect with --source replay"),
        (("-a", "--duration", "nan"), "is not a finite number"),
    ],
)
def test_contradictions(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], expected_text: str
) -> None:
    assert expected_text in refused(capsys, *words)


@pytest.mark.usefixtures("needs_root")
def test_a_page_in_a_directory_of_another_user_is_refused_before_measuring(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SUDO_UID", raising=False)
    os.chown(tmp_path, 12345, 12345)
    message = refused(capsys, "-a", "-o", str(tmp_path / "page.html"))
    assert "belongs to the user 12345" in message
    assert "remedy:" in message
