"""Settings are written by a single write, whose errors are raised."""

import errno
import os
from pathlib import Path

import pytest

from cstates.pinning.kernel_files import host_path, is_restorable, read_value, write_value
from stallscope import system_calls
from stallscope.system_files import Roots

PLACE = "/sys/devices/system/cpu/cpufreq/policy0/scaling_governor"


@pytest.fixture
def roots(tmp_path: Path) -> Roots:
    place = tmp_path / PLACE[1:]
    place.parent.mkdir(parents=True)
    place.write_text("performance\n")
    return Roots.recorded(tmp_path)


@pytest.mark.parametrize("value", ["teo", "performance", "a-name-that-is-longer"])
def test_a_file_has_only_the_value_and_a_newline(roots: Roots, value: str) -> None:
    assert write_value(roots, PLACE, value) == value
    assert host_path(roots, PLACE).read_text() == f"{value}\n"


def test_a_file_reads_as_the_new_value_before_it_is_cut(
    roots: Roots, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "ftruncate", lambda *_: None)
    write_value(roots, PLACE, "teo")
    assert host_path(roots, PLACE).stat().st_size == len("performance\n")
    assert read_value(roots, PLACE) == "teo"


def test_a_link_is_not_written_through(roots: Roots, tmp_path: Path) -> None:
    place = host_path(roots, PLACE)
    stranger = tmp_path / "stranger"
    stranger.write_text("keep\n")
    place.unlink()
    place.symlink_to(stranger)
    with pytest.raises(OSError, match="symbolic link"):
        write_value(roots, PLACE, "teo")
    assert stranger.read_text() == "keep\n"


@pytest.mark.parametrize("openat2", [True, False])
@pytest.mark.parametrize("link", ["policy0", "cpufreq", "sys"])
def test_a_folder_that_leads_out_of_the_tree_is_not_entered(
    roots: Roots, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, link: str, *, openat2: bool
) -> None:
    """A recorded tree from another machine must not make root write anywhere else."""
    monkeypatch.setattr(system_calls, "has_openat2", lambda: openat2)
    place = host_path(roots, PLACE)
    inner = next(folder for folder in place.parents if folder.name == link)
    outside = tmp_path / "outside"
    inner.rename(outside)
    inner.symlink_to(outside)
    before = {path: path.read_bytes() for path in outside.rglob("*") if path.is_file()}
    with pytest.raises(OSError, match="Invalid cross-device link|Not a directory"):
        write_value(roots, PLACE, "teo")
    assert read_value(roots, PLACE) is None
    assert {path: path.read_bytes() for path in before} == before


def test_links_inside_the_tree_are_followed(roots: Roots) -> None:
    place = host_path(roots, PLACE)
    policy = place.parent
    policy.rename(policy.with_name("policy-of-cpu0"))
    policy.symlink_to("policy-of-cpu0")
    if system_calls.has_openat2():
        assert write_value(roots, PLACE, "teo") == "teo"
    else:
        pytest.skip("needs the kernel's openat2")


@pytest.mark.parametrize("content", [b"a\n\n", b"a", b" a\n", b"\xff\n", b"x" * 5000, b"a\n\0"])
def test_a_file_with_more_than_a_value_is_not_restorable(roots: Roots, content: bytes) -> None:
    host_path(roots, PLACE).write_bytes(content)
    try:
        assert not is_restorable(roots, PLACE)
    except OSError as error:
        assert error.errno in (errno.EILSEQ, errno.EFBIG)


def test_large_files_and_files_with_two_names_are_not_written(roots: Roots, tmp_path: Path) -> None:
    place = host_path(roots, PLACE)
    (tmp_path / "other").hardlink_to(place)
    with pytest.raises(OSError, match="one name"):
        write_value(roots, PLACE, "teo")
    (tmp_path / "other").unlink()
    os.truncate(place, 2**40)  # sparse; written back in full it would fill the disk
    with pytest.raises(OSError, match="more than 4096 bytes"):
        write_value(roots, PLACE, "teo")
    assert place.stat().st_size == 2**40


def test_a_pipe_in_a_tree_does_not_block(roots: Roots) -> None:
    place = host_path(roots, PLACE)
    place.unlink()
    os.mkfifo(place)
    assert read_value(roots, PLACE) in (None, "")
    with pytest.raises(OSError, match="No such device|regular file"):
        write_value(roots, PLACE, "teo")


def test_a_short_write_is_an_error(roots: Roots, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.pwrite
    monkeypatch.setattr(os, "pwrite", lambda fd, data, at: real(fd, data[:2], at))
    with pytest.raises(OSError, match="only 2 of"):
        write_value(roots, PLACE, "teo")


def test_live_paths_are_mapped_below_the_roots(roots: Roots) -> None:
    assert host_path(roots, "/proc/irq/1/x") == roots.proc / "irq/1/x"
    assert host_path(roots, "/dev/cpu_dma_latency") == roots.files / "dev/cpu_dma_latency"
    assert read_value(roots, "/proc/irq/1/x") is None
    with pytest.raises(ValueError, match="relative"):
        host_path(roots, "relative")
