import numpy as np

from tests.topdown.waits.wait_records_builder import build_records
from topdown.waits.blocked_calls import BlockedCalls, DescriptorKinds, processes_with_sockets
from topdown.waits.records import Descriptor
from topdown.waits.states import ThreadState


def states(pid: int, number: int, *arguments: int, architecture: str = "x86_64") -> ThreadState:
    padded = np.array([[*arguments, *[0] * 6][:6]], np.uint64)
    rows = [(7, 3, "socket"), (8, 3, "eventfd"), (7, 4, "device"), (7, 5, "block device")]
    kinds = DescriptorKinds([Descriptor(*row, "x") for row in rows])
    calls = BlockedCalls(np.array([pid]), np.array([number], np.int32), padded, kinds, architecture)
    return ThreadState(calls.states(calls.groups())[0])


def test_a_poll_waits_for_the_network_if_the_process_has_sockets() -> None:
    assert states(7, 232, 1) is ThreadState.NETWORK
    assert states(8, 232, 1) is ThreadState.CONDITION
    assert states(9, 232, 1) is ThreadState.NETWORK  # no descriptors were read


def test_a_read_of_a_block_device_waits_for_a_disk() -> None:
    assert states(7, 17, 5) is ThreadState.DISK_READ
    assert states(7, 17, 4) is ThreadState.OTHER


def test_calls_of_arm64_have_their_own_numbers() -> None:
    assert states(7, 63, 3, architecture="aarch64") is ThreadState.NETWORK


def test_a_call_that_is_not_listed_is_unknown() -> None:
    assert states(7, 39) is ThreadState.UNKNOWN


def test_a_process_that_a_socket_woke_has_sockets() -> None:
    for waker, processes in (("network", {1000}), ("disk", set()), ("timer", set())):
        built = build_records(f"A R0-1 W({waker})1-9 R9-10")
        assert processes_with_sockets(built.records, built.names) == processes


def test_polls_of_a_process_with_unlisted_sockets_wait_for_the_network() -> None:
    pipes = [Descriptor(7, 3, "pipe", "x")]
    assert DescriptorKinds(pipes).poll(7) is ThreadState.CONDITION
    assert DescriptorKinds(pipes, with_sockets=[7]).poll(7) is ThreadState.NETWORK
