"""Copies of process artifacts: which files, limits and links."""

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from topdown.stacks.symbols import process_artifacts
from topdown.stacks.symbols.process_artifacts import (
    CopyLimits,
    copy_artifacts,
    copy_artifacts_limited,
    copy_leftover_jit_maps,
)
from topdown.stacks.symbols.reading_limits import ReadingLimits

WAITER = (
    'int main(void) { char c; return __builtin_printf("up\\n"), fflush(0), (int)read(0, &c, 1); }'
)


@pytest.fixture(scope="module")
def waiter(tmp_path_factory: pytest.TempPathFactory, made) -> Path:
    """A program that reports that it runs, and ends when its input closes."""
    target = tmp_path_factory.mktemp("waiter") / "waiter"
    source = target.with_suffix(".c")
    source.write_text("#include <stdio.h>\n#include <unistd.h>\n" + WAITER)
    made.run("gcc", "-g", "-Wl,--build-id", source, "-o", target)
    return target


class Running:
    """A running copy of a program."""

    def __init__(self, program: Path) -> None:
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.process.stdout.readline() == b"up\n"

    def __enter__(self) -> int:
        return self.process.pid

    def __exit__(self, *_: object) -> None:
        self.process.communicate()


def build_id(path: Path, made) -> str:
    return made.run("readelf", "-n", path).split("Build ID: ")[1].split()[0]


@pytest.mark.usefixtures("needs_root")
def test_a_deleted_binary_is_copied_by_its_build_id(waiter: Path, tmp_path: Path, made):
    program, run = tmp_path / "program", tmp_path / "run"
    shutil.copy(waiter, program)
    run.mkdir()
    with Running(program) as pid:
        program.unlink()
        assert copy_artifacts([pid, pid], run) == ()
        assert copy_artifacts([pid], run) == ()
    kept = run / "binaries" / build_id(waiter, made)
    assert kept.read_bytes() == waiter.read_bytes()
    assert kept.stat().st_mode & 0o777 == 0o600
    assert kept.parent.stat().st_mode & 0o777 == 0o700
    assert [place.name for place in kept.parent.iterdir()] == [kept.name]


def test_a_binary_that_still_exists_is_not_copied(waiter: Path, tmp_path: Path):
    with Running(waiter) as pid:
        assert copy_artifacts([pid], tmp_path) == ()
    assert not (tmp_path / "binaries").exists()


@pytest.mark.usefixtures("needs_root")
@pytest.mark.parametrize("limits", [CopyLimits(file_bytes=100), CopyLimits(all_bytes=100)])
def test_a_binary_beyond_the_limits_gives_a_warning(
    waiter: Path, tmp_path: Path, limits: CopyLimits
):
    program = tmp_path / "program"
    shutil.copy(waiter, program)
    with Running(program) as pid:
        program.unlink()
        (warning,) = copy_artifacts([pid], tmp_path, limits=limits)
    assert warning.code == "binary-not-kept"
    assert not list((tmp_path / "binaries").iterdir())


@pytest.mark.usefixtures("needs_root")
def test_a_planted_link_in_the_recording_is_not_followed(waiter: Path, tmp_path: Path):
    program, run, victim = tmp_path / "program", tmp_path / "run", tmp_path / "victim"
    shutil.copy(waiter, program)
    run.mkdir()
    victim.mkdir()
    (run / "binaries").symlink_to(victim)
    with Running(program) as pid:
        program.unlink()
        with pytest.raises(OSError, match="binaries"):
            copy_artifacts([pid], run)
    assert not list(victim.iterdir())


def test_a_process_that_has_ended_is_ignored(tmp_path: Path):
    process = subprocess.Popen(["/bin/true"])
    process.wait()
    assert copy_artifacts([process.pid], tmp_path) == ()


def test_a_copied_jit_map_is_replaced_by_its_newer_state(tmp_path: Path):
    place = Path(f"/tmp/perf-{os.getpid()}.map")
    place.write_text("1000 10 first\n")
    try:
        copy_artifacts([os.getpid()], tmp_path)
        place.write_text("1000 10 second\n")
        copy_artifacts([os.getpid()], tmp_path)
    finally:
        place.unlink()
    kept = tmp_path / f"jit/{os.getpid()}.map"
    assert kept.read_text() == "1000 10 second\n"
    assert kept.stat().st_mode & 0o777 == 0o600


def test_a_jit_map_that_is_a_link_is_refused_with_a_warning(tmp_path: Path):
    place = Path(f"/tmp/perf-{os.getpid()}.map")
    (tmp_path / "secret").write_text("secret")
    place.symlink_to(tmp_path / "secret")
    try:
        warnings = copy_artifacts([os.getpid()], tmp_path)
    finally:
        place.unlink()
    assert "jit-map-refused" in {warning.code for warning in warnings}
    assert not (tmp_path / "jit").exists()


@pytest.mark.usefixtures("needs_root")
def test_a_binary_of_another_mount_namespace_is_copied(
    waiter: Path, tmp_path: Path, made, own_mounts
):
    inner = tmp_path / "inner"
    inner.mkdir()
    script = f"mount -t tmpfs none {inner} && cp {waiter} {inner}/program && exec {inner}/program"
    process = subprocess.Popen(
        [*own_mounts, "sh", "-c", script],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        assert process.stdout.readline() == b"up\n"
        copy_artifacts([process.pid], tmp_path)
    finally:
        process.communicate()
    assert (tmp_path / "binaries" / build_id(waiter, made)).exists()


@pytest.mark.usefixtures("needs_root")
def test_a_limited_process_copies_with_the_same_warnings(waiter: Path, tmp_path: Path):
    program = tmp_path / "program"
    shutil.copy(waiter, program)
    with Running(program) as pid:
        program.unlink()
        assert copy_artifacts_limited([pid], tmp_path) == ()
    assert len(list((tmp_path / "binaries").iterdir())) == 1
    assert copy_artifacts_limited([pid], tmp_path) == ()


@pytest.mark.usefixtures("needs_root")
def test_a_directory_that_cannot_be_written_is_reported_from_the_limited_process(
    waiter: Path, tmp_path: Path
):
    (tmp_path / "binaries").write_text("a file")
    program = tmp_path / "program"
    shutil.copy(waiter, program)
    with Running(program) as pid:
        program.unlink()
        with pytest.raises(NotADirectoryError):
            copy_artifacts_limited([pid], tmp_path)


def test_a_file_that_never_answers_does_not_stop_the_recorder(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(process_artifacts, "copy_artifacts", lambda *_, **__: time.sleep(60))
    (warning,) = copy_artifacts_limited([1], tmp_path, limits=ReadingLimits(wall_s=0.2))
    assert warning.code == "binary-lost"
    assert warning.message.endswith("the time limit of 0.2 s was reached")


@pytest.fixture
def leftovers(tmp_path: Path) -> Path:
    """A root directory with a map of an ended process."""
    (tmp_path / "root/tmp").mkdir(parents=True)
    (tmp_path / "run").mkdir()
    (tmp_path / "root/tmp/perf-77.map").write_text("1000 10 left\n")
    return tmp_path / "root"


def test_maps_that_a_command_left_are_copied(leftovers: Path, tmp_path: Path):
    (leftovers / "tmp/perf-78.map").symlink_to("perf-77.map")
    os.mkfifo(leftovers / "tmp/perf-79.map")
    old = leftovers / "tmp/perf-80.map"
    old.write_text("1000 10 old\n")
    os.utime(old, (1, 1))
    assert copy_leftover_jit_maps(tmp_path / "run", 2.0, root=leftovers) == ()
    assert [place.name for place in (tmp_path / "run/jit").iterdir()] == ["77.map"]
    assert (tmp_path / "run/jit/77.map").read_text() == "1000 10 left\n"


@pytest.mark.usefixtures("needs_root")
def test_a_left_map_of_another_user_is_not_copied(leftovers: Path, tmp_path: Path):
    os.chown(leftovers / "tmp/perf-77.map", 12345, 12345)
    assert copy_leftover_jit_maps(tmp_path / "run", 0.0, root=leftovers) == ()
    assert not (tmp_path / "run/jit").exists()


def test_left_maps_are_limited_in_total(leftovers: Path, tmp_path: Path, monkeypatch):
    (leftovers / "tmp/perf-78.map").write_text("1000 10 more\n")
    monkeypatch.setattr(process_artifacts, "CopyLimits", lambda: CopyLimits(maps_bytes=20))
    (warning,) = copy_leftover_jit_maps(tmp_path / "run", 0.0, root=leftovers)
    assert warning.code == "jit-map-cut"
    assert [place.name for place in (tmp_path / "run/jit").iterdir()] == ["77.map"]


def test_a_left_map_that_never_answers_does_not_stop_the_recorder(
    leftovers: Path, tmp_path: Path, monkeypatch
):
    monkeypatch.setattr(process_artifacts, "open_in_root", lambda *_, **__: time.sleep(60))
    limits = ReadingLimits(wall_s=0.2)
    (warning,) = copy_leftover_jit_maps(tmp_path / "run", 0.0, root=leftovers, limits=limits)
    assert warning.message.endswith("the time limit of 0.2 s was reached")


def test_a_recording_that_cannot_be_written_is_an_error_of_left_maps(
    leftovers: Path, tmp_path: Path
):
    (tmp_path / "run/jit").write_text("a file")
    with pytest.raises(NotADirectoryError):
        copy_leftover_jit_maps(tmp_path / "run", 0.0, root=leftovers)
