"""Generated machines to pin, whose files can be compared."""

import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from cstates.pinning import applying, kernel_files, restoring
from cstates.pinning.request import PinRequest
from cstates.pinning.session import PinContext, PinListener, PinnedRun, run_pinned
from stallscope.system_files import Roots
from tests.cstates.machine_trees import expand


@dataclass
class FakeMachine:
    """A machine tree, and the folder of its journals."""

    tree: Path
    run: Path

    @property
    def roots(self) -> Roots:
        return Roots.recorded(self.tree)

    @property
    def place(self) -> PinContext:
        return PinContext(self.roots, self.run, "test")

    def content(self) -> dict[str, bytes]:
        """Return the content of every file."""
        files = (path for path in self.tree.rglob("*") if path.is_file() and not path.is_symlink())
        return {str(path.relative_to(self.tree)): path.read_bytes() for path in files}

    def read(self, path: str) -> str:
        return (self.tree / path.removeprefix("/")).read_text().strip()

    def write(self, path: str, value: str) -> None:
        (self.tree / path.removeprefix("/")).write_text(value + "\n")

    def options(self) -> list[str]:
        return [
            f"--sysfs-root={self.tree}/sys",
            f"--proc-root={self.tree}/proc",
            f"--run-root={self.run}",
        ]

    def pin(
        self, request: PinRequest, *command: str, messages: list[str] | None = None
    ) -> PinnedRun:
        received = [] if messages is None else messages
        listener = PinListener(on_plan=lambda _: None, on_message=received.append)
        return run_pinned(self.place, request, command, allow_partial=False, listener=listener)

    @property
    def journals(self) -> list[str]:
        return sorted(path.name for path in self.run.glob("*.json"))


@pytest.fixture
def fake(tmp_path: Path) -> Callable[[str], FakeMachine]:
    """Return a function that makes a machine from the name of its tree."""

    def make(name: str) -> FakeMachine:
        tree = tmp_path / name
        return FakeMachine(tree if tree.exists() else expand(name, tree), tmp_path / "run")

    return make


_CPUFREQ = "sys/devices/system/cpu/cpufreq"


def kernel_switching_governors(
    machine: FakeMachine, governor: str = "ondemand"
) -> Callable[[Roots, str, str], str]:
    """Return a ``write_value`` that removes and creates a governor's tunables as the kernel does.

    The tunables of a returning governor have default values, other than the user's.
    """
    real = kernel_files.write_value
    folder = machine.tree / f"{_CPUFREQ}/{governor}"
    names = sorted(path.name for path in folder.iterdir())

    def write(roots: Roots, path: str, value: str) -> str:
        after = real(roots, path, value)
        if path.endswith("/scaling_governor"):
            users = (machine.tree / _CPUFREQ).glob("policy*/scaling_governor")
            if not any(user.read_text() == f"{governor}\n" for user in users):
                with suppress(FileNotFoundError):  # in one step, as the kernel does
                    folder.rename(Path(tempfile.mkdtemp(dir=machine.tree.parent)) / governor)
            elif not folder.exists():
                folder.mkdir()
                for name in names:
                    (folder / name).write_text("12345\n")
        return after

    return write


@pytest.fixture
def switching(fake: Callable[[str], FakeMachine], monkeypatch: pytest.MonkeyPatch) -> FakeMachine:
    machine = fake("acpi-cpufreq-server")
    write = kernel_switching_governors(machine)
    monkeypatch.setattr(applying, "write_value", write)
    monkeypatch.setattr(restoring, "write_value", write)
    return machine
