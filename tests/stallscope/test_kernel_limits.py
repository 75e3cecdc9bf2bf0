"""Limits on recorded machines and of this process."""

import os
import resource
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stallscope.kernel_limits import (
    CAPABILITY_BITS,
    UNLIMITED,
    decode_capabilities,
    read_kernel_limits,
    read_process_limits,
)
from stallscope.system_files import Roots

MACHINES = Path(__file__).parents[1] / "machines"


def test_the_limits_of_a_recorded_user() -> None:
    roots = Roots.recorded(MACHINES / "user-at-paranoid-4")
    kernel, process = read_kernel_limits(roots), read_process_limits(roots)
    assert kernel.perf_event_paranoid == 4
    assert kernel.kptr_restrict == 1
    assert kernel.perf_event_mlock_kb == 516
    assert process.effective_uid == 1000
    assert process.capabilities == frozenset()
    assert (process.open_files, process.open_files_hard) == (1024, 1048576)
    assert process.memlock_bytes == 8388608


def test_root_in_a_container_has_no_capability_in_the_initial_namespace() -> None:
    process = read_process_limits(Roots.recorded(MACHINES / "container"))
    assert process.effective_uid == 0
    assert not process.in_initial_user_namespace
    assert process.seccomp_filtered
    assert not process.may(*CAPABILITY_BITS)


def test_missing_files_give_none(tmp_path: Path) -> None:
    kernel = read_kernel_limits(Roots.recorded(tmp_path))
    process = read_process_limits(Roots.recorded(tmp_path))
    assert kernel.perf_event_paranoid is None
    assert process.effective_uid is None
    assert process.open_files is None
    assert process.capabilities == frozenset()


@given(st.sets(st.sampled_from(sorted(CAPABILITY_BITS))))
def test_capabilities_are_decoded_from_their_bits(names: set[str]) -> None:
    mask = sum(1 << CAPABILITY_BITS[name] for name in names)
    assert decode_capabilities(f"{mask:016x}") == names


@pytest.mark.parametrize("mask", ["", "xyz", "-"])
def test_an_invalid_mask_has_no_capabilities(mask: str) -> None:
    assert decode_capabilities(mask) == frozenset()


def test_the_limits_of_this_process() -> None:
    process = read_process_limits()
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert process.open_files == (UNLIMITED if soft == resource.RLIM_INFINITY else soft)
    assert process.effective_uid == os.geteuid()
