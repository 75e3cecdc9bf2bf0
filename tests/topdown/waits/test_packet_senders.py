"""Timelines of a client, its peer, and programs beside them, on one CPU."""

import numpy as np
import pytest

from tests.topdown.waits.test_wait_targets import intervals_of, targets
from tests.topdown.waits.wait_records_builder import Place, build_records
from topdown.waits.causes import Cause, find_causes
from topdown.waits.packet_senders import LEAST_DELIVERIES
from topdown.waits.records import WaitRecords
from topdown.waits.stack_names import StackNames
from topdown.waits.states import Intervals, ThreadState
from topdown.waits.wait_targets import wait_segments

RECV = Place(kernel=("schedule", "tcp_recvmsg"), user=("recv", "client"), arguments=(7,))
EPOLL = Place(kernel=("schedule", "ep_poll"), user=("epoll_wait", "client"), arguments=(7,))
# One round of 20 ms: the client sends, the peer sleeps and answers, a hog takes what is left.
_ROUND_MS = 20


def rounds(
    wakers: str, *, beside: str = "hog", place: str = "recv"
) -> tuple[WaitRecords, Intervals, StackNames]:
    """Return a timeline with a round per letter.

    "s": the answer is delivered in the sender's interrupt. "d": its delivery is deferred. "t": the
    receive call reached its time limit. Beside the client runs a "hog", which is always preempted,
    a "ticker", which wakes up in each round before the peer does, or "both".
    """
    wakers_of = {"s": "peer*", "d": "backlog", "t": "timer"}
    client, peer, hog, ticker = ["R0-1"], ["W(?)0-15"], [], ["W(?)0-3"]
    for number, letter in enumerate(wakers):
        begin = number * _ROUND_MS
        client += [
            f"W({wakers_of[letter]},{place}){begin + 1}-{begin + 20}",
            f"R{begin + 20}-{begin + 21}",
        ]
        peer += [f"R{begin + 15}-{begin + 16}", f"W(timer){begin + 16}-{begin + 35}"]
        ticker += [f"R{begin + 3}-{begin + 4}", f"W(timer){begin + 4}-{begin + 23}"]
        hog += [
            f"Q{begin}-{begin + 5}",
            f"R{begin + 5}-{begin + 15}",
            f"Q{begin + 15}-{begin + 17}",
        ]
        hog += [f"R{begin + 17}-{begin + 19}", f"Q{begin + 19}-{begin + 20}"]
    lines = [f"client {' '.join(client)}", f"peer/!peer {' '.join(peer)}"]
    if beside == "hog":
        lines.append(f"hog/!hog {' '.join(hog)}")
    else:
        lines.append(f"ticker/!ticker {' '.join(ticker)}")
    end = len(wakers) * _ROUND_MS + 1
    places = {"recv": RECV, "epoll": EPOLL}
    built = build_records("\n".join(lines), places=places, whole_cpus=True, end=end)
    intervals = intervals_of(built.records, ThreadState.NETWORK)
    return built.records, intervals, built.names


def clients_targets(case: tuple[WaitRecords, Intervals, StackNames]) -> list[str]:
    """Return what the client waits for in each round."""
    records, intervals, names = case
    return [
        text.partition(">")[2]
        for text in targets("", names, records, intervals)
        if text.startswith("client>")
    ]


def first_cause(case: tuple[WaitRecords, Intervals, StackNames]) -> Cause:
    """Return the first cause of the client's waits."""
    records, intervals, names = case
    return find_causes(records, intervals, names).causes[0]


def test_a_deferred_delivery_leads_to_the_last_sender_of_the_flow() -> None:
    case = rounds("sssdds")
    assert clients_targets(case) == ["peer"] * 6
    segments = wait_segments(*case)
    assert segments.confidence is not None
    inferred = segments.confidence[segments.confidence < 1]
    assert inferred.tolist() == pytest.approx([5 / 6, 5 / 6])
    assert 0.9 < first_cause(case).confidence < 1


def test_a_sender_that_did_not_run_on_the_cpu_that_delivers_is_not_blamed() -> None:
    records, intervals, names = rounds("sssdds")
    assert records.wake_ups is not None
    records.wake_ups.cpu[:] = np.where(records.wake_ups.stack == records.wake_ups.stack[0], 0, 1)
    assert clients_targets((records, intervals, names))[3:5] == ["sender unknown"] * 2


def test_without_history_the_only_thread_that_woke_up_in_each_wait_is_the_sender() -> None:
    case = rounds("d" * LEAST_DELIVERIES, beside="ticker")
    assert set(clients_targets(case)) == {"sender unknown"}  # peer and ticker woke up in each
    case = rounds("d" * (LEAST_DELIVERIES - 1))
    assert set(clients_targets(case)) == {"sender unknown"}  # too few deliveries


def test_a_busy_program_that_ran_last_before_the_delivery_is_not_blamed() -> None:
    case = rounds("d" * 8)
    assert "hog" not in clients_targets(case)
    cause = first_cause(case)
    assert (cause.kind, cause.name, cause.confidence) == ("network", "sender unknown", 0.0)


def test_a_receive_call_at_its_time_limit_waits_for_the_next_sender() -> None:
    assert clients_targets(rounds("sttss")) == ["peer"] * 5
    assert clients_targets(rounds("sttss", place="epoll")) == [
        "peer",
        "timer",
        "timer",
        "peer",
        "peer",
    ]


def test_senders_that_disagree_leave_the_sender_unknown() -> None:
    text = """
        server R0-1 W(a*,epoll)1-5 R5-6 W(b*,epoll)6-10 R10-11 W(backlog,epoll)11-20 R20-21
        a/!a W(?)0-4 R4-5 W(?)5-12 R12-13
        b/!b W(?)0-9 R9-10 W(?)10-15 R15-16
    """
    built = build_records(text, places={"epoll": EPOLL}, whole_cpus=True)
    intervals = intervals_of(built.records, ThreadState.NETWORK)
    case = (built.records, intervals, built.names)
    segments = wait_segments(*case)
    text_of = targets("", built.names, built.records, intervals)
    assert [text for text in text_of if text.startswith("server")][-1] == "server>sender unknown"
    assert segments.confidence is not None
    assert segments.confidence.min() == 0


def test_without_deferred_deliveries_every_target_is_certain() -> None:
    segments = wait_segments(*rounds("ssss"))
    assert segments.confidence is None
