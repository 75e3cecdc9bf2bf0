"""The files of the machine are identical after every kind of end of `stallscope pin`."""

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from cstates.pinning.claims import claim_level, run_folder
from cstates.pinning.journal import process_parent
from stallscope.errors import UnableError
from stallscope.system_files import Roots
from tests.cstates.machine_trees import expand

STALLSCOPE = Path(sys.executable).with_name("stallscope")
SETTINGS = ("--states", "C1", "--frequency", "base", "--cpus", "1")
TIMEOUT_S = 60.0  # for a machine at high load; a hang, not a measurement


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
        words = [STALLSCOPE, "pin", *self.options, *SETTINGS, "--", "sh", "-c", script]
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
        _, message = self.process.communicate(timeout=TIMEOUT_S)
        assert select.select([self.command], [], [], TIMEOUT_S)[0], "the command outlived its pin"
        return self.process.returncode, message

    def wait_for_guardian(self) -> None:
        """Wait for the guardian's lock, and check that no file is left."""
        roots = Roots.recorded(self.tree)
        deadline = time.monotonic() + TIMEOUT_S
        while True:
            try:
                with (
                    run_folder(self.run, roots) as folder,
                    claim_level(folder, roots, "test") as claim,
                ):
                    assert not claim.recovered
                    return
            except UnableError:
                assert time.monotonic() < deadline

    def other(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [STALLSCOPE, "pin", *words],
            capture_output=True,
            text=True,
            check=False,
            timeout=TIMEOUT_S,
        )


@pytest.fixture
def pin(tmp_path: Path) -> Iterator[Pin]:
    running = Pin(expand("ice-lake-server", tmp_path / "machine"))
    yield running
    if running.process is not None:
        running.process.kill()
        running.process.communicate(timeout=TIMEOUT_S)
    if running.command is not None:
        os.close(running.command)


class Terminal:
    """A pseudo terminal with a program as its session leader; every wait is bounded."""

    def __init__(self, program: str, words: list[str], **environment: str) -> None:
        self.leader, self.keys = os.forkpty()
        if not self.leader:
            os.execvpe(program, words, os.environ | environment)
        self.process = os.pidfd_open(self.leader)
        self.output = b""

    def type_in(self, text: str) -> None:
        os.write(self.keys, text.encode())

    def read(self) -> bytes:
        """Return the next output; empty after all processes have closed the terminal."""
        assert select.select([self.keys], [], [], TIMEOUT_S)[0], self.output
        try:
            return os.read(self.keys, 4096)
        except OSError:  # EIO
            return b""

    def wait_for(self, text: bytes) -> None:
        while text not in self.output:
            part = self.read()
            assert part, self.output
            self.output += part
        self.output = self.output.partition(text)[2]

    def wait_until_stopped(self, pid: int) -> None:
        """Wait until a process is stopped by job control."""
        deadline = time.monotonic() + TIMEOUT_S
        while process_state(pid) != "T":
            assert time.monotonic() < deadline, self.output
            time.sleep(0.01)

    def status(self) -> int:
        """Return the leader's status after its end."""
        while self.read():
            pass
        assert select.select([self.process], [], [], TIMEOUT_S)[0]
        return os.waitstatus_to_exitcode(os.waitpid(self.leader, 0)[1])

    def close(self) -> None:
        """End what still runs on the terminal."""
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.process, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(self.leader, 0)
        os.close(self.process)
        os.close(self.keys)


def process_state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def only_child(pid: int) -> int:
    (child,) = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return int(child)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_command_and_restores_all_settings(
    pin: Pin, number: signal.Signals
) -> None:
    pin.start()
    pin.process.send_signal(number)
    assert pin.end()[0] == 128 + number
    assert pin.content() == pin.before


def test_a_command_that_handles_the_signal_chooses_its_status(pin: Pin) -> None:
    # Short sleeps: a signal that arrives between the fork and the exec of one is lost.
    pin.start("trap 'exit 5' TERM; echo $$; while :; do sleep 0.1; done")
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
    assert "left its values" in pin.other(*pin.options, *SETTINGS, "--dry-run").stderr
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
    for words in (("--no-turbo", "--", "true"), (*SETTINGS, "--", "true")):
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
    seen = pin.tree.parent / "seen"
    inside = nested(pin).removeprefix("exec ")
    pin.start(f"setsid {inside} & while ! [ -e {seen} ]; do sleep 0.02; done")
    seen.touch()
    assert pin.end()[0] == 0
    assert pin.content() == pin.before


def test_sigkill_of_the_outer_pin_restores_both(pin: Pin) -> None:
    pin.start(nested(pin))
    pin.process.kill()
    pin.end()
    pin.wait_for_guardian()
    assert pin.content() == pin.before


def test_at_a_terminal_ctrl_c_reaches_the_command_and_ctrl_z_stops_both(pin: Pin) -> None:
    script = "echo ready; read line; echo got $line; exec sleep 600"
    words = [str(STALLSCOPE), "pin", *pin.options, *SETTINGS, "--", "sh", "-c", script]
    with closing(Terminal(words[0], words)) as terminal:
        terminal.wait_for(b"ready")
        terminal.type_in("\x1a")
        terminal.wait_until_stopped(terminal.leader)  # so that its parent, a shell, continues
        assert pin.content() != pin.before
        os.kill(terminal.leader, signal.SIGCONT)
        terminal.type_in("here\n")
        terminal.wait_for(b"got here")
        terminal.type_in("\x03")
        assert terminal.status() == 128 + signal.SIGINT
    assert pin.content() == pin.before


def test_in_the_background_the_shell_keeps_the_terminal(pin: Pin) -> None:
    """Ctrl-Z, bg, and a line typed to the shell; then fg, and a line to the command."""
    reads = "while read line; do echo got $line; done"
    words = [str(STALLSCOPE), "pin", *pin.options, *SETTINGS, "--", "sh", "-c"]
    shell = ["bash", "--norc", "--noprofile", "--noediting", "-i"]
    with closing(Terminal("bash", shell, PS1="")) as terminal:
        terminal.type_in(f"{' '.join(words)} 'echo rea\"\"dy; {reads}'\n")
        terminal.wait_for(b"ready")
        pinning = only_child(terminal.leader)
        terminal.type_in("\x1a")
        terminal.wait_for(b"Stopped")
        terminal.type_in("bg\necho shell $((40 + 2))\n")
        terminal.wait_for(b"shell 42")
        # The command reads, which stops it in the background. The shell must know that before fg:
        # a job that it considers to be running is not continued.
        terminal.wait_until_stopped(pinning)
        terminal.type_in("fg\nhere\n")
        terminal.wait_for(b"got here")
        terminal.type_in("\x04echo status $((1 + $?))\n")
        terminal.wait_for(b"status 1")
        terminal.type_in("exit\n")
        assert terminal.status() == 0
    assert pin.content() == pin.before
