import numpy as np

from topdown.waits.blocked_calls import BlockedCalls, DescriptorKinds
from topdown.waits.records import Descriptor
from topdown.waits.states import ThreadState


def states(pid: int, number: int, *arguments: int, architecture: str = "x86_64") -> ThreadState:
    padded = np.array([[*arguments, *[0] * 6][:6]], np.uint64)
    kinds = DescriptorKinds([Descriptor(7, 3, "socket", "x"), Descriptor(8, 3, "eventfd", "y")])
    calls = BlockedCalls(np.array([pid]), np.array([number], np.int32), padded, kinds, architecture)
    return ThreadState(calls.states(calls.groups())[0])


def test_a_poll_waits_for_the_network_if_the_process_has_sockets() -> None:
    assert states(7, 232, 1) is ThreadState.NETWORK
    assert states(8, 232, 1) is ThreadState.CONDITION
    assert states(9, 232, 1) is ThreadState.NETWORK  # no descriptors were read


def test_calls_of_arm64_have_their_own_numbers() -> None:
    assert states(7, 63, 3, architecture="aarch64") is ThreadState.NETWORK


def test_a_call_that_is_not_listed_is_unknown() -> None:
    assert states(7, 39) is ThreadState.UNKNOWN
