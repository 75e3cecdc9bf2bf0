"""Any document of a recording is shown or rejected with an error of stallscope, not a traceback."""

import json
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cstates.advice.sleep_costs import explain
from cstates.advice.suggestions import advise
from cstates.idle.intervals import IPI, TIMER, IdleInterval
from cstates.idle.summary import IdleSummary
from harness.cstates.advise.result import advise_result
from harness.cstates.advise.text import advise_lines
from harness.cstates.explain.result import explain_result
from harness.cstates.explain.text import explain_lines
from harness.cstates.record.analysis import idle_run
from harness.cstates.record.panel import idle_panel
from harness.cstates.record.result import IdleResult
from harness.cstates.record.text import lines
from harness.cstates.record.what_if import what_if_panel
from stallscope.documents import decode, encode
from stallscope.errors import StallscopeError
from tests.harness.cstates.record.documents import idle_document, machine_document, state_document
from tests.long_tests import long_tests
from tests.mutations import paths

pytestmark = pytest.mark.long
EXAMPLES = long_tests(short=80, long=10_000)
NUMBERS = [0, 1, -1, 255, 2**31, 2**63 - 1, 2**64, 0.5, -0.5, 1e-320, 1e308]
ODD = st.sampled_from([None, True, "", "\0", "\x1b[31m", "9" * 400, [], {}, "NUMBER", *NUMBERS])


def recording() -> dict[str, Any]:
    """Return a document with both causes, two CPUs and two states."""
    summary = IdleSummary((None, 600_000))
    for number in range(40):
        wake = IPI if number % 2 else TIMER
        summary.add(
            IdleInterval(
                number % 2, number, 1, 100_000, 10**9, 10**9, wake, 140_000, 150_000, 9, "worker"
            )
        )
    activity = {"entries": 40, "above_share": 1.0, "below_share": 0.0}
    states = [
        state_document(0, "C1", 2, 2) | {"over_interval": activity},
        state_document(1, "C6", 170, 600) | {"over_interval": activity},
    ]
    return idle_document(
        summary,
        machine_document(0, *states),
        command=["server"],
        command_cpus=[0],
        siblings={"0": [0, 1]},
        overhead={"events": 200, "reader_cpu_s": 0.01},
        warnings=["a warning"],
    )


DOCUMENT = recording()
PLACES = list(paths(DOCUMENT))


def put(document: Any, place: tuple[Any, ...], value: object) -> None:
    """Replace a value in a document."""
    for key in place[:-1]:
        document = document[key]
    document[place[-1]] = value


def show(text: str) -> None:
    """Render a document in every form."""
    try:
        result = decode(text, IdleResult, "idle.json")
        run = idle_run(result)
        costs = explain_result(run, explain(run))
        advice = advise_result(advise(run))
        json.loads(encode(result))
        json.loads(encode(costs))
        json.loads(encode(advice))
        printed = [*lines(result, 80), *explain_lines(costs, 80), *advise_lines(advice, 80)]
        assert not any("\x1b" in line for line in printed)
        idle_panel(result)
        what_if_panel(Path("/nonexistent"), result)
    except StallscopeError as error:
        assert error.message


def test_the_original_document_is_shown() -> None:
    show(json.dumps(DOCUMENT))


@settings(max_examples=EXAMPLES)
@given(data=st.data())
def test_odd_values_give_no_traceback(data: st.DataObject) -> None:
    document = json.loads(json.dumps(DOCUMENT))
    for _ in range(data.draw(st.integers(1, 3))):
        with suppress(KeyError, IndexError, TypeError):  # an earlier mutation removed the place
            put(document, data.draw(st.sampled_from(PLACES)), deepcopy(data.draw(ODD)))
    literal = data.draw(st.sampled_from(["1e400", "-1e400", "1e-400", "9" * 400, "1.5"]))
    show(json.dumps(document).replace('"NUMBER"', literal))


@pytest.mark.parametrize("place", PLACES, ids=str)
@pytest.mark.parametrize("number", ["1e400", "9" * 400])
def test_numbers_beyond_any_range_give_no_traceback(place: tuple[Any, ...], number: str) -> None:
    document = json.loads(json.dumps(DOCUMENT))
    put(document, place, "NUMBER")
    show(json.dumps(document).replace('"NUMBER"', number))
