"""The outermost functions of complete call chains."""

import pytest

from topdown.stacks.symbols.entry_functions import ends_kernel_chain, ends_user_chain


@pytest.mark.parametrize(
    "name", [b"_start", b"__libc_start_call_main", b"clone3", b"runtime.goexit.abi0"]
)
def test_starts_of_programs_and_threads_end_a_user_chain(name: bytes) -> None:
    assert ends_user_chain(name)
    assert not ends_kernel_chain(name)


@pytest.mark.parametrize("name", [b"ret_from_fork_asm", b"secondary_startup_64", b"kthread"])
def test_kernel_threads_and_idle_cpus_end_a_kernel_chain(name: bytes) -> None:
    assert ends_kernel_chain(name)
    assert not ends_user_chain(name)


@pytest.mark.parametrize("name", [b"main", b"_starter", b"my_start_thread", b"kthread_worker_fn"])
def test_a_similar_name_ends_no_chain(name: bytes) -> None:
    assert not ends_user_chain(name)
    assert not ends_kernel_chain(name)
