"""The text of `cstates latency`."""

import json
from copy import deepcopy
from typing import Any

import pytest

from harness.cstates.latency.result import LatencyResult
from harness.cstates.latency.text import lines
from stallscope.documents import decode, encode
from stallscope.errors import StallscopeError
from tests.harness.cstates.latency.documents import LATENCY, SETTING
from tests.mutations import paths

pytestmark = pytest.mark.long


@pytest.mark.parametrize("place", list(paths(LATENCY)), ids=str)
def test_odd_documents_of_latency_are_shown_or_rejected(place: tuple[Any, ...]) -> None:
    for value in (None, [], {}, -1, 2**70, 1e308, "", "\x1b[31m", "NUMBER"):
        document = deepcopy(LATENCY)
        target: Any = document
        for key in place[:-1]:
            target = target[key]
        target[place[-1]] = value
        text = json.dumps(document).replace('"NUMBER"', "1e400")
        try:
            result = decode(text, LatencyResult, "latency.json")
            assert not any("\x1b" in line for line in lines(result, 80))
            assert result.evidence is not None
            json.loads(encode(result))
        except StallscopeError as error:
            assert error.message


def test_the_table_has_quantiles_of_each_setting_and_its_range_over_rounds() -> None:
    setting = SETTING | {"rounds_p50_us": [5.0, 4.5], "states": "up to C1\x1b"}
    empty = SETTING | {"samples": 0, "latency_us": {}, "rounds_p50_us": [], "entries": {}}
    document = LATENCY | {"results": [setting, empty], "rounds": 2}
    text = list(lines(decode(json.dumps(document), LatencyResult, "latency.json"), 100))
    assert text[0].startswith("Wake-ups on CPUs 0, 2 rounds of 0.1 s")
    assert text[3].split() == [
        "timer",
        "up",
        "to",
        "C1\\x1b",
        "5",
        "5.0",
        "9.0",
        "4.5-5.0",
        "C1",
        "4",
    ]
    assert text[4].split()[-5:] == ["0", "n/a", "n/a", "n/a", "n/a"]
    assert text[-2:] == ["timer, C1: gains", "Note: x"]
