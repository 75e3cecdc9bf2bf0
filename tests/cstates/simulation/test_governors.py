"""Governors by name."""

import pytest

from cstates.simulation.governors import GOVERNORS, select_governors
from cstates.tables import load_table
from stallscope.errors import UsageError

X5650 = load_table("Z600")


def test_all_governors_are_selected_by_default() -> None:
    names = [governor.name for governor in select_governors((), X5650)]
    assert names == [*(governor.name for governor in GOVERNORS), "pin:POLL", "pin:C1"]


def test_named_governors_are_selected_once_in_order() -> None:
    chosen = select_governors(("pin:10us", "ladder", "pin:10us"), X5650)
    assert [(governor.name, governor.fixed_state) for governor in chosen] == [
        ("pin:10us", 2),
        ("ladder", 0),
    ]


def test_a_name_without_a_version_selects_all_versions() -> None:
    names = [governor.name for governor in select_governors(("teo-6.18", "teo", "ladder"), X5650)]
    assert names == ["teo-6.18", "teo-6.12", "ladder"]


def test_every_governor_names_the_kernels_file() -> None:
    for governor in GOVERNORS:
        assert governor.source.startswith("drivers/cpuidle/governors/")
        assert governor.source.endswith(f"{governor.name.partition('-')[0]}.c")


@pytest.mark.parametrize("name", ["manu", "menu-6.2", "", "pin", "TEO-6.12"])
def test_an_unknown_governor_name_lists_the_known_ones(name: str) -> None:
    with pytest.raises(UsageError, match="unknown governor") as refused:
        select_governors((name,), X5650)
    for governor in GOVERNORS:
        assert governor.name in refused.value.remedy


def test_a_pin_of_an_unknown_state_lists_the_states() -> None:
    with pytest.raises(UsageError, match="has no state 'C9'") as refused:
        select_governors(("pin:C9",), X5650)
    assert "C1E" in refused.value.remedy
