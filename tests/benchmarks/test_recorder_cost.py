from collections import Counter
from pathlib import Path

from benchmarks.recorder_cost import Recorder, schedule


def recorder(name: str) -> Recorder:
    def command(pid: int, output: Path) -> list[str]:
        return [name, str(pid), str(output)]

    return Recorder(name, command)


def test_recorders_take_part_as_often_as_requested_in_evenly_spaced_rounds() -> None:
    ours, peer = recorder("ours"), recorder("peer")
    order = schedule([(ours, 6), (peer, 2)], seed=1)
    assert Counter(entry.name for entry in order) == {"ours": 6, "peer": 2}
    places = [place for place, entry in enumerate(order) if entry is peer]
    assert places[1] - places[0] >= 3


def test_the_order_within_rounds_varies() -> None:
    ours, peer = recorder("ours"), recorder("peer")
    order = schedule([(ours, 20), (peer, 20)], seed=1)
    firsts = Counter(entry.name for entry in order[::2])
    assert min(firsts.values()) >= 3
