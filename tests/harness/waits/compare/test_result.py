from pathlib import Path

from harness.waits.build import waits_result
from harness.waits.compare.result import WaitsComparison, compare
from stallscope.documents import encode
from tests.documents import assert_valid
from tests.harness.waits.analyses import analysis

ONE = "w-0 R0-90 W(?,lock)90-100"
FOUR = "\n".join(f"w-{n}@{n} R0-40 W(?,lock)40-100 R100-101" for n in range(4))


def comparison(before: str, after: str) -> WaitsComparison:
    results = [
        waits_result(analysis(text), recording=Path(name), report=None)
        for name, text in (("one", before), ("four", after))
    ]
    return compare(*results)


def test_the_state_that_grew_most_is_named() -> None:
    result = comparison(ONE + " R100-101", FOUR)
    assert_valid("waits.compare", encode(result))
    assert result.grew == "lock"
    assert result.states[0].state == "lock"
    assert (result.before.threads, result.after.threads) == (1, 4)
    assert [group.name for group in result.groups] == ["w"]


def test_without_growth_no_state_is_named() -> None:
    assert comparison(ONE, ONE).grew is None


def test_groups_of_one_recording_only_are_left_out() -> None:
    assert comparison(ONE, "other R0-10").groups == ()
