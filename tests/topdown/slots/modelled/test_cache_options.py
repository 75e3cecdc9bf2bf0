"""The host's caches as callgrind takes them."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stallscope.system_files import Roots
from topdown.slots.modelled.cache_options import MAX_CACHE_BYTES, read_caches, simulated


def machine(folder: Path, *caches: tuple[int, str, str, int, int]) -> Roots:
    for number, (level, kind, size, ways, line) in enumerate(caches):
        index = folder / f"sys/devices/system/cpu/cpu0/cache/index{number}"
        index.mkdir(parents=True)
        for name, value in (
            ("level", level),
            ("type", kind),
            ("size", size),
            ("ways_of_associativity", ways),
            ("coherency_line_size", line),
        ):
            (index / name).write_text(f"{value}\n")
    return Roots.recorded(folder)


def test_supported_caches_are_unchanged(tmp_path: Path) -> None:
    roots = machine(
        tmp_path,
        (1, "Data", "48K", 12, 64),
        (1, "Instruction", "32K", 8, 64),
        (2, "Unified", "2048K", 16, 64),
        (3, "Unified", "32768K", 16, 64),
    )
    caches = read_caches(roots)
    assert caches.l1d.option == "49152,12,64"
    assert caches.l2.option == "2097152,16,64"
    assert caches.l3 is not None
    assert caches.l3.option == "33554432,16,64"
    assert caches.notes == ()


def test_rounded_caches_have_a_note(tmp_path: Path) -> None:
    roots = machine(
        tmp_path,
        (1, "Data", "32K", 8, 64),
        (1, "Instruction", "32K", 8, 64),
        (2, "Unified", "1M", 8, 64),
        (3, "Unified", "30720K", 20, 64),
    )
    caches = read_caches(roots)
    assert caches.l3 is not None
    sets = caches.l3.size_bytes // (20 * 64)
    assert sets & (sets - 1) == 0
    assert caches.notes == (
        "L3 of 30 MiB is simulated as 40 MiB: callgrind needs a power of two of sets",
    )


def test_unreported_caches_are_assumed_with_a_note(tmp_path: Path) -> None:
    caches = read_caches(Roots.recorded(tmp_path))
    assert caches.l3 is None
    assert len(caches.notes) == 3
    assert all("assumed" in note for note in caches.notes)


@pytest.mark.parametrize("size", ["", "many", "0K", "-4K", "99999999999K"])
def test_invalid_cache_sizes_are_ignored(tmp_path: Path, size: str) -> None:
    roots = machine(tmp_path, (1, "Data", size, 8, 64), (2, "Unified", size, 8, 64))
    assert read_caches(roots).l1d.assumed


@given(st.integers(0, 2**40), st.integers(-1, 5000), st.integers(-1, 10000))
def test_callgrind_accepts_the_simulated_caches(size: int, ways: int, line: int) -> None:
    cache = simulated(size, ways, line)
    if cache is None:
        return
    sets, rest = divmod(cache.size_bytes, cache.ways * cache.line_bytes)
    assert rest == 0
    assert sets & (sets - 1) == 0
    assert 0 < cache.size_bytes <= 2 * MAX_CACHE_BYTES
