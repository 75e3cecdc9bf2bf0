"""Bare roots are fetched once, and commands in them see nothing of this machine."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tools.packages.bare_roots import BareRoot, make_root
from tools.packages.source import PackageError

STATIC = "stallscope/programs/stallscope-collect"


@pytest.fixture
def root(tmp_path: Path, checkout: Path) -> BareRoot:
    """A root with one static program."""
    if os.geteuid() != 0:
        pytest.skip("needs root: chroot")
    for name in ("usr/bin", "proc", "sys", "tmp"):
        (tmp_path / name).mkdir(parents=True)
    shutil.copy(checkout / STATIC, tmp_path / "usr/bin/collect")
    return BareRoot(tmp_path, "amd64")


def test_a_command_runs_in_the_root_and_its_mounts_end_with_it(root: BareRoot) -> None:
    done = root.run(["collect", "--version"])
    assert (done.returncode, done.stderr) == (0, "")
    assert "stallscope" in done.stdout
    assert not list((root.path / "proc").iterdir())


def test_programs_of_this_machine_are_not_there(root: BareRoot) -> None:
    done = root.run(["python3", "--version"])
    assert done.returncode == 127
    assert "python3" in done.stderr


def test_a_command_that_does_not_end_is_an_error(root: BareRoot) -> None:
    with pytest.raises(PackageError, match="timed out"):
        root.run(["collect", "--probe"], timeout_s=0)


def test_a_complete_root_is_not_fetched_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched = []

    def fetch(command: list[object], *_: object) -> str:
        fetched.append([str(word) for word in command])
        Path(fetched[-1][-1]).mkdir(parents=True)
        return ""

    monkeypatch.setattr("tools.packages.bare_roots.run", fetch)
    folder = tmp_path / "bookworm"
    for packages in (["python3"], ["python3"], ["python3", "pipx"]):
        root = make_root(folder, "bookworm", packages)
        assert (root.path / "proc").is_dir()
    assert [command[-3] for command in fetched] == ["--include=python3", "--include=python3,pipx"]


def test_the_emulator_is_registered_for_this_root_alone() -> None:
    """The host's table of formats does not change."""
    table = Path("/proc/sys/fs/binfmt_misc")
    before = sorted(table.iterdir()) if table.exists() else []
    done = subprocess.run(
        ["unshare", "--user", "--map-root-user", "--mount", "true"],
        capture_output=True,
        check=False,
    )
    if done.returncode != 0:
        pytest.skip("needs the kernel's user namespaces")
    BareRoot(Path("/nowhere"), "arm64").run(["true"])
    assert (sorted(table.iterdir()) if table.exists() else []) == before
