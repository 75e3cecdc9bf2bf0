"""Stored runs for tests."""

from harness.bench.history.result import HistoryRun, StoredValue
from harness.bench.history.session import analyse


def stored(label, median, host="cpu", name="Get", better=-1):
    value = StoredValue(name=name, unit="sec/op", median=median, n=5, better=better)
    return HistoryRun(label=label, time_s=1e9, host=host, hostname="h", kernel="6", values=(value,))


def slower_from(index, count=40):
    """Runs that are 10 % slower from one of them on, with a small periodic scatter."""
    return [
        stored(f"c{i}", (1 + 0.003 * (i * 7 % 5)) * (1.1 if i >= index else 1))
        for i in range(count)
    ]


HOSTILE = 'a"<b>\n::error::\x1b[31m%'


def hostile_result():
    """Return the analysis of runs whose names try to add elements, commands and lines."""
    runs = slower_from(25)
    return analyse(
        "d", [stored(HOSTILE, run.values[0].median, name=HOSTILE) for run in runs], (HOSTILE,)
    )
