"""Selection of the file for a mapped object."""

import os
import shutil
from contextlib import ExitStack
from pathlib import Path

import pytest

from topdown.stacks.profile_warning import ProfileWarning
from topdown.stacks.symbols.binaries import Binary, find_binary
from topdown.stacks.symbols.sources import SymbolSources

BOOT = "7a1b"


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    proc = tmp_path / "proc"
    (proc / "sys/kernel/random").mkdir(parents=True)
    (proc / "sys/kernel/random/boot_id").write_text(BOOT)
    (proc / "42/map_files").mkdir(parents=True)
    (proc / "42/root/opt").mkdir(parents=True)
    return proc


def binary_of(mapped, sources: SymbolSources) -> Binary | ProfileWarning:
    with ExitStack() as files:
        return find_binary(mapped, sources, files)


def source_name(result) -> str:
    assert isinstance(result, Binary), result
    return result.main.source.name


def test_candidates_are_tried_in_the_order_of_trust(programs, proc: Path, tmp_path: Path, made):
    plain = tmp_path / "plain"
    mapped = made.Object(os.fsencode(plain), programs.build_id, pid=42, start=0x1000, length=0x1000)
    sources = SymbolSources(recording=tmp_path / "run", boot_id=BOOT, proc=proc)
    (tmp_path / "run/binaries").mkdir(parents=True)
    inside = proc / "42/root" / str(plain).lstrip("/")
    inside.parent.mkdir(parents=True)
    shutil.copy(programs.full, inside)
    assert source_name(binary_of(mapped, sources)) == str(inside)
    in_maps = proc / "42/map_files/1000-2000"
    in_maps.symlink_to(programs.full)
    assert source_name(binary_of(mapped, sources)) == str(in_maps)
    copy = tmp_path / "run/binaries" / programs.build_id.hex()
    shutil.copy(programs.full, copy)
    assert source_name(binary_of(mapped, sources)) == str(copy)
    shutil.copy(programs.full, plain)
    assert source_name(binary_of(mapped, sources)) == str(plain)


@pytest.mark.usefixtures("needs_root")
def test_a_file_of_another_user_on_this_systems_root_is_the_last_candidate(
    programs, proc: Path, tmp_path: Path, made
):
    plain = tmp_path / "plain"
    shutil.copy(programs.full, plain)
    os.chown(plain, 12345, 12345)
    mapped = made.Object(os.fsencode(plain), programs.build_id, pid=42, start=0x1000, length=0x1000)
    sources = SymbolSources(boot_id=BOOT, proc=proc)
    result = binary_of(mapped, sources)
    assert source_name(result) == str(plain)
    assert result.identities is None
    in_maps = proc / "42/map_files/1000-2000"
    in_maps.symlink_to(programs.full)
    assert source_name(binary_of(mapped, sources)) == str(in_maps)


def test_a_live_process_of_another_boot_is_not_used(programs, proc: Path, made):
    (proc / "42/map_files/1000-2000").symlink_to(programs.full)
    mapped = made.Object(b"/none", programs.build_id, pid=42, start=0x1000, length=0x1000)
    result = binary_of(mapped, SymbolSources(boot_id="other", proc=proc))
    assert result.code == "binary-missing"


def test_a_changed_file_is_rejected_with_a_warning(programs, made):
    result = binary_of(made.Object(os.fsencode(programs.full), b"\1" * 20), SymbolSources())
    assert result.code == "binary-changed"


def test_without_a_build_id_device_and_inode_identify_the_file(programs, made):
    status = programs.full.stat()
    numbers = {"major": os.major(status.st_dev), "minor": os.minor(status.st_dev)}
    path = os.fsencode(programs.full)
    right = made.Object(path, inode=status.st_ino, **numbers)
    assert source_name(binary_of(right, SymbolSources())) == str(programs.full)
    wrong = made.Object(path, inode=status.st_ino + 1, **numbers)
    assert binary_of(wrong, SymbolSources()).code == "binary-changed"


def test_without_a_build_id_a_file_changed_later_is_rejected(programs, made):
    status = programs.full.stat()
    numbers = {"major": os.major(status.st_dev), "minor": os.minor(status.st_dev)}
    for inode in (status.st_ino, 0):
        mapped = made.Object(os.fsencode(programs.full), inode=inode, **numbers)
        before = SymbolSources(recorded_ns=status.st_ctime_ns - 1)
        assert binary_of(mapped, before).code == "binary-changed"
        after = SymbolSources(recorded_ns=status.st_ctime_ns)
        assert source_name(binary_of(mapped, after)) == str(programs.full)


def test_a_file_that_is_not_elf_gives_a_warning(tmp_path: Path, made):
    text = tmp_path / "text"
    text.write_text("#!/bin/sh\n")
    assert binary_of(made.Object(os.fsencode(text)), SymbolSources()).code == "binary-unreadable"


def test_a_warning_shows_no_control_characters(made):
    result = binary_of(made.Object(b"/no/\x1b[31mred\xe2\x80\xae\n", b"\1" * 20), SymbolSources())
    assert "\x1b" not in result.message
    assert "\u202e" not in result.message
    assert "\n" not in result.message


def test_debug_files_are_identified_by_build_id(programs, tmp_path: Path, made):
    name = programs.build_id.hex()
    place = tmp_path / "debug/.build-id" / name[:2]
    place.mkdir(parents=True)
    mapped = made.Object(os.fsencode(programs.stripped), programs.build_id)
    sources = SymbolSources(debug_directories=(os.fsencode(tmp_path / "debug"),))
    assert binary_of(mapped, sources).debug is None
    shutil.copy(programs.debug, place / f"{name[2:]}.debug")
    assert binary_of(mapped, sources).debug.build_id == programs.build_id


def test_debug_links_are_followed_only_with_the_right_checksum(programs, tmp_path: Path, made):
    shutil.copy(programs.linked, tmp_path / "linked")
    (tmp_path / ".debug").mkdir()
    debug = tmp_path / ".debug/full.debug"
    shutil.copy(programs.debug, debug)
    mapped = made.Object(os.fsencode(tmp_path / "linked"), programs.build_id)
    sources = SymbolSources(debug_directories=())
    assert binary_of(mapped, sources).debug is not None
    debug.write_bytes(debug.read_bytes() + b"changed")
    assert binary_of(mapped, sources).debug is None


def container_debug_file(programs, proc: Path) -> Path:
    name = programs.build_id.hex()
    place = proc / "42/root/usr/lib/debug/.build-id" / name[:2] / f"{name[2:]}.debug"
    place.parent.mkdir(parents=True)
    shutil.copy(programs.debug, place)
    return place


def test_debug_files_in_a_containers_root_belong_to_its_binaries(programs, proc: Path, made):
    debug = container_debug_file(programs, proc)
    shutil.copy(programs.stripped, proc / "42/root/opt/program")
    mapped = made.Object(b"/opt/program", programs.build_id, pid=42)
    result = binary_of(mapped, SymbolSources(boot_id=BOOT, proc=proc))
    assert result.debug.source.name == str(debug)
    assert result.identities is None


def test_a_debug_file_below_another_root_is_not_used_for_a_binary_of_this_root(
    programs, proc: Path, made
):
    container_debug_file(programs, proc)
    mapped = made.Object(os.fsencode(programs.stripped), programs.build_id, pid=42)
    result = binary_of(mapped, SymbolSources(boot_id=BOOT, proc=proc))
    assert result.debug is None
    assert [known.path for known in result.identities] == [os.fsencode(programs.stripped)]


def test_a_copy_in_a_recording_has_no_identity(programs, tmp_path: Path, made):
    (tmp_path / "run/binaries").mkdir(parents=True)
    shutil.copy(programs.full, tmp_path / "run/binaries" / programs.build_id.hex())
    mapped = made.Object(b"/gone", programs.build_id)
    result = binary_of(mapped, SymbolSources(recording=tmp_path / "run"))
    assert isinstance(result, Binary)
    assert result.identities is None
