"""The bytes of archives depend on their content only."""

import gzip
import io
import os
import tarfile
import zipfile
from pathlib import Path

from tools.packages.archives import digest, gzipped, normalise_zip, tar_of
from tools.packages.sdists import normal_tar

EPOCH_S = 1_700_000_000


def test_a_zip_has_one_date_normal_modes_and_its_record_last(tmp_path: Path) -> None:
    paths = []
    for number, order in enumerate((1, -1)):
        path = tmp_path / f"{number}.whl"
        with zipfile.ZipFile(path, "w") as archive:
            for name in ("x.dist-info/RECORD", "a/program", "b.py")[::order]:
                info = zipfile.ZipInfo(name, (2001 + number, 1, 1, 0, 0, 0))
                info.external_attr = (0o100777 if name == "a/program" else 0o100600) << 16
                archive.writestr(info, name.encode())
        normalise_zip(path, EPOCH_S)
        paths.append(path)
    assert digest(paths[0]) == digest(paths[1])
    with zipfile.ZipFile(paths[0]) as archive:
        assert archive.namelist() == ["a/program", "b.py", "x.dist-info/RECORD"]
        modes = [info.external_attr >> 16 for info in archive.infolist()]
        assert modes == [0o100755, 0o100644, 0o100644]
        assert {info.date_time for info in archive.infolist()} == {(2023, 11, 14, 22, 13, 20)}
        assert archive.read("a/program") == b"a/program"


def test_a_tar_has_its_members_in_order() -> None:
    members = [("b", b"2", 0o644), ("a/", b"", 0o700), ("a/program", b"1", 0o755)]
    content = tar_of(members, EPOCH_S)
    assert content == tar_of(members[::-1], EPOCH_S)
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        assert archive.getnames() == ["a", "a/program", "b"]
        assert {member.mtime for member in archive} == {EPOCH_S}


def test_a_tar_of_another_user_and_time_is_made_normal(tmp_path: Path) -> None:
    results = []
    for number in (0, 1):
        file = tmp_path / str(number) / "name"
        file.parent.mkdir()
        file.write_text("content")
        file.chmod(0o600 + number * 0o40)
        os.utime(file, (number, number))
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w") as archive:
            archive.add(file, "pkg/name", filter=lambda info: info.replace(uid=1000, uname="user"))
        results.append(normal_tar(buffer.getvalue(), EPOCH_S))
    assert results[0] == results[1]
    with tarfile.open(fileobj=io.BytesIO(results[0])) as archive:
        (member,) = archive
        assert (member.uid, member.uname, member.mode, member.mtime) == (0, "", 0o644, EPOCH_S)


def test_gzip_holds_no_date() -> None:
    assert gzipped(b"x") == gzipped(b"x")
    assert gzipped(b"x")[4:8] == bytes(4)
    assert gzip.decompress(gzipped(b"x")) == b"x"
