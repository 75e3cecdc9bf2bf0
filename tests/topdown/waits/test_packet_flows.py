from tests.topdown.waits.test_wait_targets import intervals_of
from tests.topdown.waits.wait_records_builder import Place, build_records
from topdown.waits.packet_flows import flow_waits
from topdown.waits.packet_senders import UNKNOWN_SENDER, FlowWaits
from topdown.waits.pseudo_nodes import NODE_NAMES, PseudoNode
from topdown.waits.states import ThreadState
from topdown.waits.wait_targets import node_names, wait_segments

PLACES = {
    "recv": Place(kernel=("schedule", "tcp_recvmsg"), user=("recv",), arguments=(7,)),
    "other": Place(kernel=("schedule", "tcp_recvmsg"), user=("recv",), arguments=(8,)),
    "poll": Place(kernel=("schedule", "do_poll"), user=("poll",), arguments=(0x55000,)),
    "epoll": Place(kernel=("schedule", "ep_poll"), user=("epoll_wait",), arguments=(7,)),
}


def flows_of(text: str) -> FlowWaits:
    """Return the waits for packets in a timeline; all waits are for the network."""
    built = build_records(text, places=PLACES, whole_cpus=True)
    intervals = intervals_of(built.records, ThreadState.NETWORK)
    segments = wait_segments(built.records, intervals)
    rows = (segments.target >= 0).nonzero()[0]
    full = wait_segments(built.records, intervals, built.names).target[rows]
    return flow_waits(built.records, intervals, built.names, rows, full.astype("i8"))[1]


def test_flows_are_threads_with_descriptors() -> None:
    waits = flows_of("""
        A R0-1 W(B*,recv)1-5 R5-6 W(B*,other)6-9 R9-10 W(B*,recv)10-12 R12-13
        B R0-20
        C R0-1 W(B*,recv)1-5 R5-6
    """)
    flow = waits.flow.tolist()
    assert flow[0] == flow[2]
    assert len(set(flow)) == 3
    assert waits.sender.tolist() == [1, 1, 1, 1]
    assert not waits.open.any()


def test_deferred_deliveries_have_a_cpu_and_no_sender() -> None:
    waits = flows_of("A@1 R0-1 W(backlog,recv)1-5 R5-6")
    assert (waits.cpu.tolist(), waits.sender.tolist()) == ([1], [UNKNOWN_SENDER])


def test_receive_calls_without_a_delivery_are_open_and_polls_are_not() -> None:
    text = "A R0-1 W(timer,{0})1-5 R5-6 W(?,{0})6-9"
    assert flows_of(text.format("recv")).open.tolist() == [True, True]
    assert len(flows_of(text.format("poll")).open) == 0
    assert len(flows_of(text.format("epoll")).open) == 0


def test_waits_that_threads_end_in_their_own_time_are_no_packets() -> None:
    assert len(flows_of("A R0-1 W(B,recv)1-5 R5-6\nB R0-9").flow) == 0


def test_a_sender_that_is_not_known_has_a_node_after_the_threads() -> None:
    assert NODE_NAMES[PseudoNode.LOOPBACK] == "sender unknown"
    assert node_names(["a"])[1 + PseudoNode.LOOPBACK] == "sender unknown"
