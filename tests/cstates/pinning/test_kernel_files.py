"""Settings are written by a single write, whose errors are raised."""

import os
from pathlib import Path

import pytest

from cstates.pinning.kernel_files import host_path, read_value, write_value
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


def test_live_paths_are_mapped_below_the_roots(roots: Roots) -> None:
    assert host_path(roots, "/proc/irq/1/x") == roots.proc / "irq/1/x"
    assert host_path(roots, "/dev/cpu_dma_latency") == roots.files / "dev/cpu_dma_latency"
    assert read_value(roots, "/proc/irq/1/x") is None
    with pytest.raises(ValueError, match="relative"):
        host_path(roots, "relative")
