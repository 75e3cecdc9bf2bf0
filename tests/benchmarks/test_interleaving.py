"""The order of interleaved measurements."""

from benchmarks.interleaving import interleave, sides


def test_every_second_pair_starts_with_the_peer() -> None:
    assert list(sides(3)) == ["ours", "peer", "peer", "ours", "ours", "peer"]


def test_readings_are_returned_by_side_in_the_order_of_the_pairs() -> None:
    order: list[str] = []

    def reading(side: str) -> str:
        order.append(side)
        return f"{side} {len(order)}"

    ours, peer = interleave(2, lambda: reading("ours"), lambda: reading("peer"))
    assert ours == ("ours 1", "ours 4")
    assert peer == ("peer 2", "peer 3")
