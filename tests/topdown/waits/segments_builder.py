"""Segments of the wait-for graph from timelines in text, for tests.

A line per thread: its name, then intervals: ``R0-10`` runs, ``Q10-12`` waits for a CPU,
``W(B)12-90`` waits for B, a thread of the text or the name of another node.
"""

import re

import numpy as np

from topdown.waits.cascade import Segments
from topdown.waits.wait_chains import Activity

ACTIVITIES = {"R": Activity.RUN, "Q": Activity.QUEUE, "W": Activity.WAIT}
INTERVAL = re.compile(r"([RQW])(?:\((\w+)\))?(\d+)-(\d+)")


def build_segments(text: str) -> tuple[Segments, dict[str, int]]:
    """Return the segments and the number of each node."""
    lines = [line.split() for line in text.strip().splitlines()]
    nodes = {words[0]: number for number, words in enumerate(lines)}
    threads = len(nodes)
    rows = []
    for thread, words in enumerate(lines):
        for word in words[1:]:
            match = INTERVAL.fullmatch(word)
            assert match, f"not an interval: {word}"
            kind, name, begin, end = match.groups()
            target = nodes.setdefault(name, len(nodes)) if name else -1
            rows.append((thread, int(begin), int(end), ACTIVITIES[kind], target))
    thread, begin, end, activity, target = (list(column) for column in zip(*rows, strict=True))
    segments = Segments(
        thread=np.array(thread, np.uint32),
        begin_ns=np.array(begin, np.uint64),
        end_ns=np.array(end, np.uint64),
        activity=np.array(activity, np.uint8),
        target=np.array(target, np.int32),
        threads=threads,
        nodes=len(nodes),
    )
    return segments, nodes
