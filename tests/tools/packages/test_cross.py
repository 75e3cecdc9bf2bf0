"""A cross build names the module and the wheel for the other architecture."""

from pathlib import Path

import pytest

from tools.debian_archive import FetchError
from tools.packages import cross
from tools.packages.source import PackageError, Source

SOURCE = Source(Path("/checkout"), "1.2.3", 1_700_000_000)


@pytest.mark.parametrize(
    ("tag", "suffix", "headers"),
    [
        ("cp311", ".cpython-311-aarch64-linux-gnu.so", "python3.11"),
        ("cp312-abi3", ".abi3.so", "python3.13"),
    ],
)
def test_suffix_and_headers_are_those_of_the_target(
    monkeypatch: pytest.MonkeyPatch, tag: str, suffix: str, headers: str
) -> None:
    fetched = []
    monkeypatch.setattr(cross, "_fetch", lambda root, *words: fetched.append((root.name, *words)))
    build = cross.prepare(SOURCE, tag)
    assert build.environment["SETUPTOOLS_EXT_SUFFIX"] == suffix
    assert build.environment["_PYTHON_HOST_PLATFORM"] == "linux-aarch64"
    assert build.defines["Python_INCLUDE_DIR"].endswith(f"arm64-{headers}/usr/include/{headers}")
    assert [name for name, *_ in fetched] == ["arm64-wheel-root", f"arm64-{headers}"]


def test_an_archive_that_cannot_be_reached_is_a_package_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object) -> None:
        raise FetchError("no route")

    monkeypatch.setattr(cross, "_fetch", fail)
    with pytest.raises(PackageError, match="cannot be fetched: no route"):
        cross.prepare(SOURCE, "cp311")


def test_absolute_links_point_into_the_root_and_a_complete_root_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = []

    class Archive:
        def __init__(self, *words: object) -> None:
            opened.append(words)

        def unpack(self, _packages: object, root: Path) -> None:
            (root / "lib").mkdir()
            (root / "lib/libz.so.1").touch()
            (root / "libz.so").symlink_to("/lib/libz.so.1")

        def close(self) -> None: ...

    monkeypatch.setattr(cross, "Archive", Archive)
    for _ in range(2):
        cross._fetch(tmp_path / "root", "libraries", "bookworm", ("zlib1g-dev",))
    assert len(opened) == 1
    assert (tmp_path / "root/libz.so").samefile(tmp_path / "root/lib/libz.so.1")
