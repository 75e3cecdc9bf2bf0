"""The files of the machine are identical after every kind of end of `stallscope pin`."""

import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from cstates.pinning.claims import claim_level, run_folder
from cstates.pinning.journal import process_parent
from stallscope.system_files import Roots
from tests.cstates.machine_trees import expand

STALLSCOPE = Path(sys.executable).with_name("stallscope")
ASKED = ("--states", "C1", "--frequency", "base", "--cpus", "1")
GOVERNOR = "sys/devices/system/cpu/cpufreq/policy1/scaling_min_freq"


class Pin:
    """A running pin on a generated machine; its command has printed its process id and waits."""

    def __init__(self, tree: Path) -> None:
        self.tree = tree
        self.run = tree.parent / "run"
        self.before = self.content()
        self.process: Any = None
        self.command: Any = None

    @property
    def options(self) -> list[str]:
        places = (f"--sysfs-root={self.tree}/sys", f"--proc-root={self.tree}/proc")
        return [*places, f"--run-root={self.run}"]

    def content(self) -> dict[Path, bytes]:
        files = (path for path in self.tree.rglob("*") if path.is_file() and not path.is_symlink())
        return {path: path.read_bytes() for path in files}

    def start(self, script: str = "echo $$; exec sleep 600") -> None:
        words = [STALLSCOPE, "pin", *self.options, *ASKED, "--", "sh", "-c", script]
        self.process = subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, self.process.communicate()[1]
        self.command = os.pidfd_open(int(line))
        assert self.content() != self.before

    def guardian(self) -> int:
        for folder in Path("/proc").iterdir():
            if folder.name.isdecimal() and process_parent(int(folder.name)) == self.process.pid:
                words = (folder / "cmdline").read_bytes()
                if b"cstates.pinning.guardian" in words:
                    return int(folder.name)
        pytest.fail("no guardian")

    def end(self) -> tuple[int, str]:
        """Return the status and the messages, after the command has ended."""
        _, message = self.process.communicate(timeout=60)
        assert select.select([self.command], [], [], 60)[0], "the command outlived its pin"
        return self.process.returncode, message

    def wait_for_guardian(self) -> None:
        """Wait for the guardian's lock, and check that no file is left."""
        roots = Roots.recorded(self.tree)
        with run_folder(self.run, roots) as folder, claim_level(folder, roots, "test") as ours:
            assert not ours.recovered

    def other(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [STALLSCOPE, "pin", *words], capture_output=True, text=True, check=False
        )


@pytest.fixture
def pin(tmp_path: Path) -> Iterator[Pin]:
    document = Pin(expand("ice-lake-server", tmp_path / "machine"))
    yield document
    if document.process is not None:
        document.process.kill()
        document.process.communicate()
    if document.command is not None:
        os.close(document.command)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_command_and_restores_all_settings(
    pin: Pin, number: signal.Signals
) -> None:
    pin.start()
    pin.process.send_signal(number)
    assert pin.end()[0] == 128 + number
    assert pin.content() == pin.before


def test_a_command_that_handles_the_signal_chooses_its_status(pin: Pin) -> None:
    pin.start("trap 'exit 5' TERM; echo $$; while :; do sleep 600 & wait; done")
    pin.process.terminate()
    assert pin.end()[0] == 5
    assert pin.content() == pin.before


def test_after_sigkill_the_guardian_ends_the_command_and_restores(pin: Pin) -> None:
    """Children of the command end too, as members of its process group."""
    pin.start("sleep 600 & echo $!; wait")
    pin.process.kill()
    status, message = pin.end()
    assert status == -signal.SIGKILL
    pin.wait_for_guardian()
    assert pin.content() == pin.before
    assert "its guardian restored" in message


def test_after_sigkill_of_both_the_next_call_restores(pin: Pin) -> None:
    pin.start()
    os.kill(pin.guardian(), signal.SIGKILL)
    pin.process.kill()
    pin.end()
    assert pin.content() != pin.before
    assert "left over" in pin.other("status", *pin.options).stdout
    assert "left its values" in pin.other(*pin.options, *ASKED, "--dry-run").stderr
    assert "settings restored" in pin.other("restore", *pin.options).stdout
    assert pin.content() == pin.before


def test_sigkill_of_the_guardian_alone_has_no_effect(pin: Pin) -> None:
    pin.start()
    os.kill(pin.guardian(), signal.SIGKILL)
    pin.process.terminate()
    assert pin.end()[0] == 128 + signal.SIGTERM
    assert pin.content() == pin.before


def test_a_second_pin_fails_with_the_owners_name(pin: Pin) -> None:
    pin.start()
    for words in (("--no-turbo", "--", "true"), (*ASKED, "--", "true")):
        second = pin.other(*pin.options, *words)
        assert second.returncode == 3
        assert (
            f"already pinned by stallscope pin -- sh (process {pin.process.pid})" in second.stderr
        )
    assert pin.other("restore", *pin.options).returncode == 3
    assert "held" in pin.other("status", *pin.options).stdout
    pin.process.terminate()
    pin.end()
    assert pin.content() == pin.before


NESTED = "exec {program} pin {options} --governor performance -- sh -c 'echo $$; exec sleep 600'"


def nested(pin: Pin) -> str:
    return NESTED.format(program=STALLSCOPE, options=" ".join(pin.options))


def test_a_pin_inside_a_pinned_command_is_allowed(pin: Pin) -> None:
    pin.start(nested(pin))
    assert sorted(path.name for path in pin.run.glob("*.json")) == ["pin-0.json", "pin-1.json"]
    pin.process.terminate()
    assert pin.end()[0] == 128 + signal.SIGTERM
    assert pin.content() == pin.before


def test_an_inner_pin_that_outlives_the_command_is_ended_first(pin: Pin) -> None:
    """Otherwise it would restore the outer pin's values permanently."""
    begun = pin.tree.parent / "begun"
    inside = nested(pin).removeprefix("exec ").replace("echo $$;", f"echo $$; : > {begun};")
    pin.start(f"setsid {inside} & while ! [ -e {begun} ]; do sleep 0.02; done")
    assert pin.end()[0] == 0
    assert pin.content() == pin.before


def test_sigkill_of_the_outer_pin_restores_both(pin: Pin) -> None:
    pin.start(nested(pin))
    pin.process.kill()
    pin.end()
    pin.wait_for_guardian()
    assert pin.content() == pin.before


def test_at_a_terminal_ctrl_c_reaches_the_command_and_ctrl_z_stops_both(pin: Pin) -> None:
    shell, keys = os.forkpty()
    if not shell:
        words = [str(STALLSCOPE), "pin", *pin.options, *ASKED, "--", "sh", "-c"]
        os.execv(STALLSCOPE, [*words, "echo ready; read line; echo got $line; exec sleep 600"])
    output = b""

    def wait_for(word: bytes) -> None:
        nonlocal output
        while word not in output:
            output += os.read(keys, 4096)

    wait_for(b"ready")
    os.write(keys, b"\x1a")
    _, status = os.waitpid(shell, os.WUNTRACED)
    assert os.WIFSTOPPED(status), "whoever started us can go on"
    assert pin.content() != pin.before
    os.kill(shell, signal.SIGCONT)
    os.write(keys, b"here\n")
    wait_for(b"got here")
    os.write(keys, b"\x03")
    with suppress(OSError):  # EIO: all processes have closed the terminal
        while os.read(keys, 4096):
            pass
    assert os.waitstatus_to_exitcode(os.waitpid(shell, 0)[1]) == 128 + signal.SIGINT
    os.close(keys)
    assert pin.content() == pin.before


def test_in_the_background_the_shell_keeps_the_terminal(pin: Pin) -> None:
    """Ctrl-Z, bg, and a line typed to the shell; then fg, and a line to the command."""
    shell, keys = os.forkpty()
    if not shell:
        os.environ["PS1"] = ""
        os.execvp("bash", ["bash", "--norc", "--noprofile", "--noediting", "-i"])
    output = b""

    def wait_for(word: bytes) -> None:
        nonlocal output
        while word not in output:
            assert select.select([keys], [], [], 60)[0], output
            output += os.read(keys, 4096)
        output = output.partition(word)[2]

    def type_in(line: str) -> None:
        os.write(keys, f"{line}\n".encode())

    reads = "while read line; do echo got $line; done"
    words = [str(STALLSCOPE), "pin", *pin.options, *ASKED, "--", "sh", "-c"]
    type_in(f"{' '.join(words)} 'echo rea\"\"dy; {reads}'")
    wait_for(b"ready")
    os.write(keys, b"\x1a")
    wait_for(b"Stopped")
    type_in("bg")
    type_in("echo shell $((40 + 2))")
    wait_for(b"shell 42")
    type_in("fg")
    type_in("here")
    wait_for(b"got here")
    os.write(keys, b"\x04")
    type_in("echo status $((1 + $?))")
    wait_for(b"status 1")
    type_in("exit")
    with suppress(OSError):  # EIO: all processes have closed the terminal
        while os.read(keys, 4096):
            pass
    assert os.waitstatus_to_exitcode(os.waitpid(shell, 0)[1]) == 0
    os.close(keys)
    assert pin.content() == pin.before
