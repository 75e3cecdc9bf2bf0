"""The command group: help without heavy imports, similar names, a single message per failure."""

import fcntl
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from harness.cli.command_line import COMMANDS, group, main
from harness.commands.bench import BENCH
from harness.commands.cstates import CSTATES
from harness.commands.io import IO
from harness.commands.lab import LAB
from stallscope import __version__
from stallscope.errors import ExitCode, RecordingError, UnableError
from tests.house.words import help_texts


@pytest.mark.parametrize("name", COMMANDS)
def test_short_help_in_the_table_is_the_commands_own(name: str) -> None:
    command = group.get_command(click.Context(group), name)
    assert command is not None
    assert command.get_short_help_str(limit=200) == COMMANDS[name]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_examples(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([name, "--help"]) == 0
    assert "Examples:" in capsys.readouterr().out


GROUPS = {"bench": BENCH, "lab": LAB, "cstates": CSTATES, "io": IO}


@pytest.mark.parametrize(
    ("kind", "verb"), [(kind, verb) for kind in GROUPS for verb in GROUPS[kind]]
)
def test_every_verb_has_its_short_help_and_examples(
    kind: str, verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    verb_group = group.get_command(click.Context(group), kind)
    assert isinstance(verb_group, click.Group)
    command = verb_group.get_command(click.Context(verb_group), verb)
    assert command is not None
    assert command.get_short_help_str(limit=200) == GROUPS[kind][verb]
    assert main([kind, verb, "--help"]) == 0
    assert "Examples:" in capsys.readouterr().out


def test_an_unknown_lab_gives_similar_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", "memroy"]) == ExitCode.USAGE
    assert "did you mean memory?" in capsys.readouterr().err


def test_help_names_the_values_of_options() -> None:
    unnamed = [
        text.place
        for text in help_texts()
        if re.search(r"(?:INTEGER|FLOAT)(?: RANGE)?\b|^  -.* TEXT\b", text.text, re.MULTILINE)
    ]
    assert not unnamed


def test_help_loads_no_heavy_module() -> None:
    heavy = {
        "numpy",
        "pandas",
        "matplotlib",
        "elftools",
        "psutil",
        "subprocess",
        "json",
        "stallscope._native",
    }
    code = (
        "import sys; from harness.cli.command_line import main; main(['--help']);"
        f"print(sorted({heavy!r} & set(sys.modules)), file=sys.stderr)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(eval(run.stderr.splitlines()[-1]))
    before = subprocess.run(
        [sys.executable, "-c", f"import sys, click; print(sorted({heavy!r} & set(sys.modules)))"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert loaded <= set(eval(before.stdout)), "modules beyond those that click itself loads"


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"stallscope {__version__}\n"


def test_an_unknown_command_gives_similar_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profle"]) == ExitCode.USAGE
    assert "did you mean profile?" in capsys.readouterr().err


def test_no_arguments_show_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == ExitCode.USAGE
    assert "Commands:" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "status"),
    [(RecordingError("broken\x1b[2J", "again"), 5), (UnableError("no", "do"), 3)],
)
def test_an_error_is_a_single_message_with_the_remedy(
    error: Exception,
    status: int,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(group, "main", fail)
    assert main(["profile"]) == status
    written = capsys.readouterr().err
    assert written.count("\n") == 2
    assert "remedy: " in written
    assert "\x1b[2J" not in written


ROOT = Path(__file__).parents[3]
COUNTS = ROOT / "tests" / "topdown" / "slots" / "vectors" / "icl.json"


def run(command: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run a shell command in which $S is stallscope."""
    return subprocess.run(
        ["/bin/bash", "-c", f"set -o pipefail; {command}"],
        env={**os.environ, "S": str(Path(sys.executable).with_name("stallscope")), **environment},
        capture_output=True,
        check=False,
    )


@pytest.mark.parametrize("command", ["$S --help | true", "$S doctor | true", "$S doctor | head -1"])
def test_a_closed_pipe_is_not_an_error(command: str) -> None:
    ended = run(command)
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr == b""


@pytest.mark.parametrize(
    "command",
    [
        "$S --help",
        "$S --version",
        "$S schema io.curve",
        "$S doctor --json",
        "$S topdown --source replay:$COUNTS",
        "$S topdown --source replay:$COUNTS --csv",
        "$S io queue .",
    ],
)
def test_standard_output_that_cannot_be_written_is_exit_6(command: str) -> None:
    ended = run(f"{command} >/dev/full", COUNTS=str(COUNTS))
    assert ended.returncode == ExitCode.UNWRITABLE, ended.stderr
    assert ended.stderr.count(b"\n") == 2
    assert b"cannot write to standard output: No space left" in ended.stderr
    assert b"remedy: " in ended.stderr


def test_the_exit_code_is_the_same_if_no_message_can_be_written() -> None:
    assert run("$S schema >/dev/full 2>/dev/full").returncode == ExitCode.UNWRITABLE
    assert run("$S report /nonexistent 2>/dev/full").returncode == ExitCode.USAGE
    assert run("$S schema 2>/dev/full").stdout.startswith(b"bench.")


def test_output_through_a_full_pipe_that_does_not_block_is_complete() -> None:
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    with subprocess.Popen(
        [sys.executable, "-m", "stallscope", "topdown", "--source", f"replay:{COUNTS}", "--json"],
        stdout=writer,
        cwd=ROOT,
    ) as process:
        os.close(writer)
        with open(reader, "rb") as pipe:
            output = pipe.read()
    assert process.returncode == 0
    assert len(output) > 4096, "larger than the pipe"
    assert json.loads(output)


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&- <&-"])
def test_standard_streams_may_be_closed(closed: str) -> None:
    ended = run(f"$S doctor {closed}")
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr == b""


def test_names_outside_the_locale_are_printed() -> None:
    ended = run("$S report $'n\xff\xc3\xa9'", PYTHONIOENCODING="ascii", LC_ALL="C")
    assert ended.returncode == 2
    assert b"there is no recording" in ended.stderr


def test_process_ids_separated_by_spaces_give_a_hint() -> None:
    ended = run("$S profile -p 12 13 14")
    assert ended.returncode == 2
    assert b"-p 12,13,14" in ended.stderr


def test_the_command_of_the_hint_lists_processes_by_name() -> None:
    message = run("$S profile -p 12 13").stderr.decode()
    by_name = message[message.index("$(") + 2 : message.index(" NAME)")]
    with subprocess.Popen(["sleep", "60"]) as first, subprocess.Popen(["sleep", "60"]) as second:
        listing = subprocess.run(
            [*by_name.split(), "sleep"], capture_output=True, text=True, check=False
        )
        first.kill()
        second.kill()
    assert {str(first.pid), str(second.pid)} <= set(listing.stdout.strip().split(","))


@pytest.mark.usefixtures("needs_root")
def test_a_recording_without_read_permission_is_a_single_error(tmp_path: Path) -> None:
    tmp_path.joinpath("run").mkdir(mode=0o700)
    tmp_path.chmod(0o755)
    code = (
        "import os, sys; from harness.cli.command_line import main;"
        # Imports that happen first may be in folders that the other user cannot read.
        "main(['report', '/none']); os.setresuid(65534, 65534, 65534);"
        f"sys.exit(main(['report', {str(tmp_path / 'run' / 'x')!r}]))"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert ended.returncode == 2, ended.stderr
    assert b"Permission denied" in ended.stderr
    assert b"remedy: " in ended.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["profile"],
        ["profile", "-p", "1" * 5000],
        ["record", "-p", "1", "--duration", "nan"],
        ["record", "-p", "1", "--duration", "inf"],
        ["profile", "-p", "12", "-a"],
        ["profile", "-p", "12;rm"],
        ["profile", "-p", "0"],
        ["record", "-p", "1", "-F", "0"],
        ["record", "-p", "1", "-F", "99", "-c", "1000"],
        ["record", "-p", "1", "--duration", "-1"],
        ["record", "-p", "1", "--stacks", "fp", "--stack-bytes", "8192"],
        ["flame", "x", "-o", "y.png"],
        ["report", "/nonexistent/run"],
    ],
)
def test_wrong_usage_is_exit_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == ExitCode.USAGE
    assert capsys.readouterr().err
