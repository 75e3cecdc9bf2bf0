import msgspec

from harness.waits.graph_text import cause_text, chain_text, lines
from tests.harness.waits.waits_results import HOSTILE, MS, cause, graph

DISK = cause("disk", "disk", 900, ("victim", 950), ("holder", 950), ("disk", 900))


def test_a_chain_has_the_time_of_each_step() -> None:
    assert chain_text(DISK) == "victim -> holder 950 ms -> disk 900 ms"
    assert chain_text(cause("thread", "hog", 5)) == ""


def test_a_cause_is_described_in_words() -> None:
    assert cause_text(DISK) == "disk"
    assert cause_text(cause("run_queue", "worker", 5)) == "worker (thread that waits for a CPU)"


def test_an_inferred_sender_has_its_confidence_and_an_unknown_one_none() -> None:
    peer = msgspec.structs.replace(cause("process", "peer", 5), confidence=0.9167)
    assert cause_text(peer) == (
        "peer (thread of another process; sender inferred, confidence 0.92)"
    )
    unknown = msgspec.structs.replace(cause("network", "sender unknown", 5), confidence=0.0)
    assert cause_text(unknown) == "sender unknown (network)"


def test_a_group_that_waits_for_itself_is_described_as_one() -> None:
    alone = cause("thread", "worker", 5, ("worker", 5))
    assert cause_text(alone) == "worker (its threads wait for each other while one of them runs)"
    assert chain_text(alone) == ""


def test_causes_are_listed_with_cost_share_and_chain() -> None:
    text = "\n".join(lines([DISK], graph(knots=(("disk",),)), 100))
    assert text == (
        "Causes of waits, in order of cost (the ends of the chains of waits):\n"
        "  1.   900 ms  90.0 %  disk\n"
        "                       victim -> holder 950 ms -> disk 900 ms\n"
        "All others wait, directly or not, for: disk"
    )


def test_what_is_not_known_is_stated() -> None:
    unknown = graph(unexplained_ns=500 * MS, missing=("no timers",), followed_share=0.25)
    text = "\n".join(lines([], unknown, 120))
    assert "no wait of a working thread has a recorded cause" in text
    assert "Without a recorded cause: 500 ms, 50.0 % of the waits." in text
    assert "missing edges: no timers" in text
    assert "25.0 % of the waits were followed" in text


def test_further_causes_are_counted() -> None:
    causes = [cause("thread", f"t{n}", 10) for n in range(12)]
    assert list(lines(causes, graph(), 100))[-1].strip().startswith("2 further causes")


def test_hostile_names_are_printable() -> None:
    text = "\n".join(lines([cause("thread", HOSTILE, 5, (HOSTILE, 5), (HOSTILE, 5))], graph(), 200))
    assert "\x1b" not in text
