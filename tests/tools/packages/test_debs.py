"""A Debian package has normal owners, modes and dates, whatever the umask is."""

import io
import os
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

from tools.packages.debs import Deb, build_deb
from tools.packages.source import Source

EPOCH_S = 1_700_000_000


def packed(folder: Path, umask: int) -> bytes:
    (folder / "LICENSES").mkdir(parents=True)
    (folder / "NOTICE").write_text("the notice\n")
    program = folder / "program"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o700)
    deb = Deb(
        "x", "amd64", "a program", "One line.\nAnother.", {"usr/bin/x": program}, licences="more\n"
    )
    before = os.umask(umask)
    try:
        return build_deb(Source(folder, "1.2", EPOCH_S), deb).read_bytes()
    finally:
        os.umask(before)


def test_the_bytes_depend_on_the_content_only(tmp_path: Path) -> None:
    if shutil.which("dpkg-deb") is None:
        pytest.skip("needs the program dpkg-deb: it is not installed")
    first, second = packed(tmp_path / "a", 0o022), packed(tmp_path / "b", 0o077)
    assert first == second
    file = tmp_path / "x.deb"
    file.write_bytes(first)
    control = subprocess.run(
        ["dpkg-deb", "--field", file], capture_output=True, text=True, check=True
    ).stdout
    assert "Description: a program\n One line.\n Another.\n" in control
    assert "Depends" not in control
    content = subprocess.run(["dpkg-deb", "--fsys-tarfile", file], capture_output=True, check=True)
    with tarfile.open(fileobj=io.BytesIO(content.stdout)) as archive:
        members = {member.name: member for member in archive}
        assert {(member.uid, member.gid) for member in members.values()} == {(0, 0)}
        assert {member.mtime for member in members.values()} == {EPOCH_S}
        assert members["./usr/bin/x"].mode == 0o755
        notice = archive.extractfile("./usr/share/doc/x/copyright")
        assert notice is not None
        assert notice.read() == b"the notice\nmore\n"
