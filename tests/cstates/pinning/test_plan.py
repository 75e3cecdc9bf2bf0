"""The plans of requests on generated machines: files, values, order."""

from dataclasses import replace

import pytest

from cstates.pinning.knobs import KNOBS, Scope
from cstates.pinning.plan import make_plan
from cstates.pinning.request import PinRequest, bench_profile
from cstates.pinning.session import pinned_khz
from stallscope.errors import UnableError, UsageError
from tests.cstates.machine_trees import names
from tests.cstates.pinning.plans import CPUS, Fake, planned, written


def test_a_plan_without_files_has_no_warnings_about_files(fake: Fake) -> None:
    whole = planned(fake, "offline-cpus", states=("C1",), cpus="0,1", aslr_off=True)
    whole = replace(whole, file_warnings=("a daemon may override this",))
    part = whole.without(frozenset({Scope.SYSFS}))
    assert part.warnings == ("CPUs 1 are offline and not used",)


def test_interrupts_move_to_the_other_cpus(fake: Fake) -> None:
    plan = planned(fake, "ice-lake-server", irq_away=True, cpus="0")
    assert ("/proc/irq/24/smp_affinity_list", "0-3", "1,3") in written(plan)
    with pytest.raises(UnableError, match="no CPU is left for interrupts"):
        planned(fake, "ice-lake-server", irq_away=True)


def test_idle_siblings_leave_one_cpu_per_core(fake: Fake) -> None:
    plan = planned(fake, "ice-lake-server", smt_siblings_idle=True)
    assert plan.targets.command == (0, 1)


def test_an_offline_cpu_gives_a_warning(fake: Fake) -> None:
    plan = planned(fake, "offline-cpus", states=("C1",), cpus="0,1")
    assert plan.targets.command == (0,)
    assert plan.command_warnings == ("CPUs 1 are offline and not used",)
    with pytest.raises(UsageError, match="none of these CPUs is online"):
        planned(fake, "offline-cpus", states=("C1",), cpus="1")


def test_conflicting_daemons_are_named(fake: Fake) -> None:
    plan = planned(fake, "ice-lake-server", states=("C1",))
    assert any("tuned (process 812)" in item for item in plan.warnings)


@pytest.mark.parametrize("machine", names())
def test_the_profile_has_a_plan_on_every_machine(fake: Fake, machine: str) -> None:
    """Missing settings are skipped, the others are in the order of the table."""
    plan = make_plan(fake(machine).roots, bench_profile(PinRequest()))
    order = list(KNOBS)
    ranks = [order.index(item.knob.replace("min-f", "max-f")) for item in plan.changes]
    assert ranks == sorted(ranks)
    scopes = [list(Scope).index(item.scope) for item in plan.changes]
    assert scopes == sorted(scopes)
    assert all(item.old != item.new for item in plan.changes)
    assert plan.changes


def test_the_frequency_is_watched_if_only_one_limit_changes(fake: Fake) -> None:
    machine = fake("acpi-cpufreq-server")
    machine.write(f"{CPUS}/cpufreq/policy1/scaling_max_freq", "2000000")
    plan = planned(fake, "acpi-cpufreq-server", cpus="1", frequency="2000000")
    assert [item.knob for item in plan.journaled] == ["min-frequency"]
    assert pinned_khz(plan) == 2_000_000
