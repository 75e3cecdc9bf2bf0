"""What is compared on made machines: by the machine's own names, and only what it can do."""

from collections.abc import Callable

import pytest

from cstates.comparison.candidates import BASELINE, CONTROL, find_candidates
from stallscope.errors import UnableError
from stallscope.system_files import Roots

Machine = Callable[[str], Roots]


def unlimited(roots: Roots) -> Roots:
    """The same machine, with nobody asking for a latency: 2,000,000,000 us."""
    (roots.files / "dev/cpu_dma_latency").write_bytes((2_000_000_000).to_bytes(4, "little"))
    return roots


def names(roots: Roots) -> list[str]:
    return [each.name for each in find_candidates(roots, "0").chosen]


def test_state_sets_and_governors_by_the_machines_own_names(machine: Machine) -> None:
    roots = unlimited(machine("ice-lake-server"))
    assert names(roots) == [
        BASELINE,
        CONTROL,
        *("up to C1E", "up to C1", "only POLL"),
        *("idle governor ladder", "idle governor teo"),
        *(f"governor {name}" for name in ("conservative", "ondemand", "powersave", "performance")),
    ]


def test_a_latency_limit_that_is_held_is_as_it_is(machine: Machine) -> None:
    assert names(machine("ice-lake-server"))[:4] == [BASELINE, CONTROL, "up to C1", "only POLL"]


def test_haltpoll_is_compared_in_a_way_that_works(machine: Machine) -> None:
    chosen = find_candidates(machine("haltpoll-vm"), None).chosen
    assert [each.name for each in chosen][:3] == [BASELINE, CONTROL, "only POLL"]
    assert chosen[1].request == chosen[0].request
    assert chosen[2].request.force_effective
    governors = [each.request.idle_governor for each in chosen[3:]]
    assert "haltpoll" not in governors  # as it is
    assert "menu" in governors


def test_a_closed_state_is_not_opened(machine: Machine) -> None:
    roots = unlimited(machine("ice-lake-server"))
    for cpu in roots.sys.glob("devices/system/cpu/cpu*/cpuidle"):
        deepest = cpu / "state3" / "disable"
        deepest.write_text("1\n")
    assert names(roots)[2] == "up to C1"


def test_without_anything_to_set_it_says_why(machine: Machine) -> None:
    with pytest.raises(UnableError, match="no setting to compare with"):
        find_candidates(machine("no-cpuidle"), None)
