"""Caches in sysfs: levels, sizes, and entries that are not data caches."""

from pathlib import Path

import pytest

from stallscope.cpu_caches import CpuCache, data_caches


def add(sysfs: Path, index: int, **files: str) -> None:
    folder = sysfs / f"devices/system/cpu/cpu0/cache/index{index}"
    folder.mkdir(parents=True)
    for name, text in files.items():
        folder.joinpath(name).write_text(f"{text}\n")


def test_data_and_unified_caches_are_sorted_by_level(tmp_path: Path) -> None:
    add(tmp_path, 0, level="2", type="Unified", size="1M", ways_of_associativity="8")
    add(tmp_path, 1, level="1", type="Data", size="48K", coherency_line_size="64")
    add(tmp_path, 2, level="1", type="Instruction", size="32K")
    add(tmp_path, 3, level="3", type="Unified", size="36864K", shared_cpu_list="0-3,8")
    assert data_caches(tmp_path) == (
        CpuCache(1, 48 * 2**10, None, 64, ""),
        CpuCache(2, 2**20, 8, None, ""),
        CpuCache(3, 36 * 2**20, None, None, "0-3,8"),
    )


@pytest.mark.parametrize("size", ["", "0K", "-1K", "32k", "1e9", "9" * 40, "99999999G", "32K\n64K"])
def test_a_cache_with_an_invalid_size_is_ignored(tmp_path: Path, size: str) -> None:
    add(tmp_path, 0, level="1", type="Data", size=size)
    assert data_caches(tmp_path) == ()


def test_a_machine_without_cache_files_has_no_caches(tmp_path: Path) -> None:
    assert data_caches(tmp_path) == ()
    add(tmp_path, 0, level="0", type="Data", size="32K", ways_of_associativity="0")
    assert data_caches(tmp_path) == ()
