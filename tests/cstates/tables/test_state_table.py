"""Checks of tables of sleep states."""

import pytest

from cstates.tables.state_table import DeclaredState, StateTable, checked_table, with_polling
from stallscope.errors import UsageError

C1, C6 = DeclaredState("C1", "", 2, 2), DeclaredState("C6", "", 100, 300)


def table(*states: DeclaredState) -> StateTable:
    return StateTable("test", "a CPU", "intel_idle", "test", states)


@pytest.mark.parametrize(
    ("states", "message"),
    [
        ((), "it has 0 states"),
        ((C1, C1), "'C1' occurs twice"),
        ((C6, C1), "exit latency decreases: C6 has 100 us, C1 2 us"),
        ((C1, DeclaredState("C2", "", 3, 1)), "target residency decreases"),
        (tuple(DeclaredState(f"C{n}", "", n, n) for n in range(11)), "it has 11 states"),
    ],
)
def test_invalid_tables_are_refused(states: tuple[DeclaredState, ...], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        checked_table(table(*states))


def test_polling_is_added_once_and_first() -> None:
    polled = with_polling(table(C1, C6))
    assert [state.polling for state in polled.states] == [True, False, False]
    assert with_polling(polled) is polled


@pytest.mark.parametrize(
    ("name", "index"), [("C1", 0), ("C6", 1), ("10us", 0), ("100us", 1), ("5000us", 1)]
)
def test_a_state_has_a_name_or_a_largest_latency(name: str, index: int) -> None:
    assert table(C1, C6).index_of(name) == index


@pytest.mark.parametrize("name", ["C9", "1us"])
def test_an_unknown_state_lists_the_known_ones(name: str) -> None:
    with pytest.raises(UsageError) as raised:
        table(C1, C6).index_of(name)
    assert "C1, C6" in raised.value.remedy
