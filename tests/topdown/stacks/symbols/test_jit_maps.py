"""JIT maps written by a target: location, owner and links are checked."""

import os
from pathlib import Path

import numpy as np
import pytest

from stallscope.regular_file import MissingFileError, RefusedFileError
from tests.topdown.stacks.symbols.conftest import BOOT
from topdown.stacks.symbols import jit_maps
from topdown.stacks.symbols.jit_files import open_jit_map
from topdown.stacks.symbols.jit_maps import read_jit_map
from topdown.stacks.symbols.sources import SymbolSources


def names_of(sources: SymbolSources, *addresses: int, pid: int = 4711):
    """The names at the addresses, and the warning; None without a map."""
    symbols, warning = read_jit_map(pid, np.array(addresses, np.uint64), sources)
    if symbols is None:
        return None, warning
    groups = symbols.group.tolist()
    names = [symbols.table.names(np.array([g]))[0] if g >= 0 else None for g in groups]
    return names, warning


@pytest.fixture
def jit_map(proc: Path) -> Path:
    return proc / "4711/root/tmp/perf-5.map"


def test_the_map_has_the_pid_of_the_namespace_in_its_name(proc: Path, jit_map: Path):
    jit_map.write_text("1000 10 compiled\n")
    assert names_of(SymbolSources(boot_id=BOOT, proc=proc), 0x1001) == ([b"compiled"], None)


def test_the_map_of_another_boot_is_not_read(proc: Path, jit_map: Path):
    jit_map.write_text("1000 10 compiled\n")
    assert names_of(SymbolSources(boot_id="other", proc=proc), 0x1001) == (None, None)


def test_a_map_in_the_recording_is_preferred(proc: Path, jit_map: Path, tmp_path: Path):
    jit_map.write_text("1000 10 live\n")
    (tmp_path / "run/jit").mkdir(parents=True)
    (tmp_path / "run/jit/4711.map").write_text("1000 10 kept\n")
    sources = SymbolSources(recording=tmp_path / "run", boot_id=BOOT, proc=proc)
    assert names_of(sources, 0x1001) == ([b"kept"], None)


def test_a_link_is_refused(proc: Path, jit_map: Path, tmp_path: Path):
    (tmp_path / "shadow").write_text("1000 10 secret\n")
    jit_map.symlink_to(tmp_path / "shadow")
    with pytest.raises(RefusedFileError, match="symbolic link"):
        open_jit_map(4711, proc)


@pytest.mark.usefixtures("needs_root")
def test_a_tmp_that_is_another_users_link_is_refused(proc: Path, jit_map: Path):
    jit_map.parent.rmdir()
    (proc / "4711/root/elsewhere").mkdir()
    (proc / "4711/root/elsewhere/perf-5.map").write_text("1000 10 f\n")
    jit_map.parent.symlink_to("elsewhere")
    os.lchown(jit_map.parent, 12345, 12345)
    with pytest.raises(RefusedFileError, match="symbolic link"):
        open_jit_map(4711, proc)
    os.lchown(jit_map.parent, 0, 0)
    open_jit_map(4711, proc).close()


@pytest.mark.usefixtures("needs_root")
def test_a_map_of_another_user_is_refused_with_a_warning(proc: Path, jit_map: Path):
    jit_map.write_text("1000 10 planted\n")
    os.chown(jit_map, 12345, 12345)
    names, warning = names_of(SymbolSources(boot_id=BOOT, proc=proc), 0x1001)
    assert names is None
    assert warning.code == "jit-map-refused"
    assert "12345" in warning.message


def test_a_pipe_is_refused_without_blocking(proc: Path, jit_map: Path):
    os.mkfifo(jit_map)
    with pytest.raises(RefusedFileError, match="not a regular file"):
        open_jit_map(4711, proc)


def test_a_missing_map_gives_no_warning(proc: Path):
    with pytest.raises(MissingFileError):
        open_jit_map(4711, proc)
    sources = SymbolSources(boot_id=BOOT, proc=proc)
    assert names_of(sources, 1) == (None, None)
    assert names_of(sources, 1, pid=1) == (None, None)


def test_a_large_map_is_cut_at_a_line_with_a_warning(proc: Path, jit_map: Path, monkeypatch):
    monkeypatch.setattr(jit_maps, "MAP_LIMIT", 40)
    jit_map.write_text("1000 10 first\n2000 10 second\n3000 10 third\n")
    names, warning = names_of(SymbolSources(boot_id=BOOT, proc=proc), 0x1000, 0x2000, 0x3000)
    assert names == [b"first", b"second", None]
    assert warning.code == "jit-map-cut"


@pytest.mark.parametrize("block", [1, 7, 16, 100])
def test_lines_across_blocks_are_read_whole(proc: Path, jit_map: Path, monkeypatch, block: int):
    monkeypatch.setattr(jit_maps, "_BLOCK", block)
    jit_map.write_text("1000 10 first\n2000 10 second\n3000 10 third\n")
    names, _ = names_of(SymbolSources(boot_id=BOOT, proc=proc), 0x1000, 0x2000, 0x3000)
    assert names == ([b"first", b"second", b"third"] if block >= 16 else names)
