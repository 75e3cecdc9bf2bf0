"""The directory of a continuous recording."""

from pathlib import Path

import pytest

from harness.continuous.segments import (
    FIRST_OTHER_BYTES,
    SegmentStore,
    open_store,
    share_files,
)
from stallscope.errors import UsageError

MIB = 1 << 20
LIMIT = 48 * MIB


def write_segment(store: SegmentStore, samples: int, **others: bytes) -> Path:
    path = store.next_path()
    path.mkdir()
    (path / "samples.perf").write_bytes(b"x" * samples)
    for name, content in others.items():
        (path / name).write_bytes(content)
    store.close_segment(path)
    return path


def names(store: SegmentStore) -> list[str]:
    return [path.name for path in store.segments()]


def test_segments_are_numbered_and_a_later_run_goes_on(tmp_path: Path) -> None:
    with open_store(tmp_path / "run", LIMIT) as store:
        for _ in range(2):
            write_segment(store, 10)
        store.write_state({})
    with open_store(tmp_path / "run", LIMIT) as store:
        write_segment(store, 10)
        assert names(store) == ["segment-000001", "segment-000002", "segment-000003"]
    assert (tmp_path / "run").stat().st_mode & 0o777 == 0o700


def test_the_oldest_segments_make_room_before_a_segment_is_written(tmp_path: Path) -> None:
    with open_store(tmp_path / "run", LIMIT) as store:
        assert store.max_segment_mib == 12
        for _ in range(6):
            write_segment(store, 12 * MIB)
            assert store.size_bytes() <= LIMIT
        store.next_path()
        assert store.size_bytes() + (store.max_segment_mib << 20) <= LIMIT
        assert store.removed == 4
        assert names(store)[-1] == "segment-000006"
    assert FIRST_OTHER_BYTES + 2 * 12 * MIB < LIMIT, "the first segment of a small store fits"


def test_the_newest_segment_is_kept_even_if_it_is_too_large(tmp_path: Path) -> None:
    with open_store(tmp_path / "run", LIMIT) as store:
        write_segment(store, 10)
        path = write_segment(store, 10, kallsyms=b"k" * (LIMIT + 1))
        assert names(store) == [path.name]


def test_equal_files_of_segments_are_stored_once(tmp_path: Path) -> None:
    with open_store(tmp_path / "run", LIMIT) as store:
        first = write_segment(store, 10, kallsyms=b"k" * MIB, small=b"s")
        second = write_segment(store, 10, kallsyms=b"k" * MIB, small=b"s")
        third = write_segment(store, 10, kallsyms=b"K" * MIB)
        assert (first / "kallsyms").samefile(second / "kallsyms")
        assert not (second / "kallsyms").samefile(third / "kallsyms")
        assert not (first / "small").samefile(second / "small")
        assert store.size_bytes() == 2 * MIB + 30 + 2
        store.remove(first)
        assert (second / "kallsyms").read_bytes() == b"k" * MIB


def test_links_are_not_followed_when_files_are_shared(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / "secret").write_bytes(b"k" * MIB)
    (tmp_path / "a" / "kallsyms").symlink_to(tmp_path / "secret")
    (tmp_path / "b" / "kallsyms").write_bytes(b"k" * MIB)
    share_files(tmp_path / "b", tmp_path / "a")
    assert (tmp_path / "b" / "kallsyms").stat().st_nlink == 1


def test_a_second_recorder_is_refused(tmp_path: Path) -> None:
    with (
        open_store(tmp_path / "run", LIMIT),
        pytest.raises(UsageError, match="another process records"),
        open_store(tmp_path / "run", LIMIT),
    ):
        pytest.fail("opened twice")
    with open_store(tmp_path / "run", LIMIT):
        pass  # the lock ends with the block


@pytest.mark.parametrize("other", ["file", "directory", "link"])
def test_another_directory_is_refused_and_not_changed(tmp_path: Path, other: str) -> None:
    path = tmp_path / "run"
    if other == "file":
        path.write_text("mine")
    elif other == "directory":
        path.mkdir()
        (path / "mine").touch()
    else:
        path.symlink_to(tmp_path)
    before = sorted(map(str, tmp_path.rglob("*")))
    with pytest.raises(UsageError), open_store(path, LIMIT):
        pytest.fail("opened")
    assert sorted(map(str, tmp_path.rglob("*"))) == before


def test_only_directories_with_the_name_of_a_segment_are_removed(tmp_path: Path) -> None:
    with open_store(tmp_path / "run", LIMIT) as store:
        path = tmp_path / "run"
        (path / "segment-000007").symlink_to(tmp_path)
        (path / "segment-x").mkdir()
        (path / "segment-000008").touch()
        write_segment(store, 10)
        assert names(store) == ["segment-000001"]
        assert store.remove_oldest()
        assert not store.remove_oldest()
    assert tmp_path.exists()
    left = sorted(entry.name for entry in path.iterdir())
    assert left == ["continuous.lock", "segment-000007", "segment-000008", "segment-x"]
