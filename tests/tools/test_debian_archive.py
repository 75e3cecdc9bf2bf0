"""apt works in a private folder: for another release, without a change to this host."""

from pathlib import Path

import pytest

from tools import debian_archive
from tools.debian_archive import Archive, FetchError

SHOWN = """Package: linux-image-cloud-arm64
Depends: linux-base, linux-image-6.1.0-50-cloud-arm64 (= 6.1.176-1)
"""


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands, which are not started."""
    ran: list[list[str]] = []

    def run(command: list[str], _folder: Path | None) -> str:
        ran.append([str(word) for word in command])
        return SHOWN if command[0] == "apt-cache" else ""

    monkeypatch.setattr(debian_archive, "_run", run)
    return ran


def test_every_folder_of_apt_is_private(commands: list[list[str]], tmp_path: Path) -> None:
    archive = Archive(tmp_path / "apt", "bullseye", "arm64")
    update = commands[-1]
    assert "APT::Architecture=arm64" in update
    folders = [word for word in update if word.startswith("Dir::State")]
    assert folders
    assert all(str(tmp_path) in word for word in folders)
    source = (tmp_path / "apt" / "sources.list").read_text()
    assert source.endswith("/debian bullseye main\n")
    assert "signed-by" in source
    archive.close()
    assert not (tmp_path / "apt").exists()


def test_a_dependency_is_found_by_its_beginning(commands: list[list[str]], tmp_path: Path) -> None:
    archive = Archive(tmp_path / "apt", "bookworm", "arm64")
    name = archive.depends("linux-image-cloud-arm64", "linux-image-")
    assert name == "linux-image-6.1.0-50-cloud-arm64"
    with pytest.raises(FetchError, match="depends on no linux-headers-"):
        archive.depends("linux-image-cloud-arm64", "linux-headers-")


def test_a_program_that_fails_is_a_fetch_error() -> None:
    with pytest.raises(FetchError, match="sh failed with 3: the reason"):
        debian_archive._run(["sh", "-c", "echo the reason >&2; exit 3"], None)
    with pytest.raises(FetchError, match="No such file"):
        debian_archive._run(["/nowhere/program"], None)
