import json
from pathlib import Path

from harness.bench.compare.benchstat.intervals import interval_ranks, needed_samples


def test_ranks_are_those_of_the_reference_library():
    """ranks.json comes from QuantileCI of go-moremath, built with Go 1.26 for x86-64."""
    for n, confidence, low, high in json.loads((Path(__file__).parent / "ranks.json").read_text()):
        assert interval_ranks(n, confidence) == (low, high), (n, confidence)


def test_needed_samples():
    assert needed_samples(0.95) == (">=", 6)
    assert needed_samples(0.99) == (">=", 8)
    assert needed_samples(1) == (">", 50)
