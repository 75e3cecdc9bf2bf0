"""The settings to compare on generated machines."""

from collections.abc import Callable

import pytest

from cstates.comparison.candidates import BASELINE, CONTROL, find_candidates
from stallscope.errors import UnableError
from stallscope.system_files import Roots

Machine = Callable[[str], Roots]


def unlimited(roots: Roots) -> Roots:
    """Return the machine without a latency limit (2,000,000,000 us)."""
    (roots.files / "dev/cpu_dma_latency").write_bytes((2_000_000_000).to_bytes(4, "little"))
    return roots


def names(roots: Roots) -> list[str]:
    return [item.name for item in find_candidates(roots, "0").chosen]


def test_candidates_are_the_machines_state_sets_and_governors(machine: Machine) -> None:
    roots = unlimited(machine("ice-lake-server"))
    assert names(roots) == [
        BASELINE,
        CONTROL,
        *("up to C1E", "up to C1", "only POLL"),
        *("idle governor ladder", "idle governor teo"),
        *(f"governor {name}" for name in ("conservative", "ondemand", "powersave", "performance")),
    ]


def test_a_held_latency_limit_belongs_to_the_baseline(machine: Machine) -> None:
    assert names(machine("ice-lake-server"))[:4] == [BASELINE, CONTROL, "up to C1", "only POLL"]


def test_states_are_closed_effectively_under_haltpoll(machine: Machine) -> None:
    chosen = find_candidates(machine("haltpoll-vm"), None).chosen
    assert [item.name for item in chosen][:3] == [BASELINE, CONTROL, "only POLL"]
    assert chosen[1].request == chosen[0].request
    assert chosen[2].request.force_effective
    governors = [item.request.idle_governor for item in chosen[3:]]
    assert "haltpoll" not in governors  # as it is
    assert "menu" in governors


def test_a_closed_state_is_not_opened(machine: Machine) -> None:
    roots = unlimited(machine("ice-lake-server"))
    for cpu in roots.sys.glob("devices/system/cpu/cpu*/cpuidle"):
        deepest = cpu / "state3" / "disable"
        deepest.write_text("1\n")
    assert names(roots)[2] == "up to C1"


def test_a_machine_without_settings_gives_the_reason(machine: Machine) -> None:
    with pytest.raises(UnableError, match="no setting to compare with"):
        find_candidates(machine("no-cpuidle"), None)
