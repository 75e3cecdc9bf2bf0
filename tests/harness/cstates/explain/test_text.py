"""The text of `cstates explain`."""

from dataclasses import replace

from msgspec import structs

from cstates.advice.sleep_costs import explain
from harness.cstates.explain.result import ExplainResult, explain_result
from harness.cstates.explain.text import MAX_PROCESSES, cost_tables, explain_lines
from tests.cstates.advice.runs import row, run


def result_of(*processes: str) -> ExplainResult:
    recording = replace(
        run(row(2, "ipi", 400, 210.0), row(2, "interrupt", 50, 0.0)),
        processes=tuple(
            replace(row(2, "ipi", 60, 210.0, pid=number), name=name)
            for number, name in enumerate(processes, 1)
        ),
    )
    return explain_result(recording, explain(recording))


def test_each_cost_has_its_rate_its_time_and_its_source() -> None:
    text = [line.split() for line in explain_lines(result_of(), 100)]
    rows = [words for words in text if words and words[-1] in ("measured", "declared")]
    assert {"C6", "40.00", "210.0", "8,400"} <= set(rows[0])
    assert [words[-1] for words in rows] == ["measured", "declared"]


def test_an_unknown_time_is_not_zero() -> None:
    result = result_of()
    unknown = structs.replace(result.sleeps[0], exit_us=None, us_per_s=None, too_deep_share=None)
    ((_, rows),) = cost_tables(structs.replace(result, sleeps=(unknown,), processes=()))
    assert rows[0][-4:] == ("n/a", "n/a", "n/a", "measured")


def test_processes_beyond_the_limit_are_counted_and_names_are_escaped() -> None:
    names = ["<x>\x1b[31m", *map(str, range(MAX_PROCESSES + 1))]
    text = "\n".join(explain_lines(result_of(*names), 100))
    assert "and 2 more processes" in text
    assert "\x1b" not in text


def test_without_costs_the_reason_is_the_only_line() -> None:
    result = structs.replace(result_of(), nothing="no CPU went idle")
    assert list(explain_lines(result, 100)) == ["No CPU went idle."]
