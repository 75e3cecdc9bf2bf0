"""Groups of equal CPUs: text and page show each group once."""

from dataclasses import dataclass

from cstates.observation import StateActivity, merged_activity
from harness.cstates.show.result import CpuRecord, FrequencyRecord, IdleStateRecord, ShowResult
from stallscope.cpu_lists import format_cpu_list


@dataclass(frozen=True, slots=True)
class StateSummary:
    """A state of the CPUs of a group, with their activity summed."""

    state: IdleStateRecord
    activity: StateActivity


@dataclass(frozen=True, slots=True)
class CpuGroup:
    """CPUs that differ only in their counters."""

    cpus: tuple[CpuRecord, ...]
    states: tuple[StateSummary, ...]

    @property
    def first(self) -> CpuRecord:
        """Return the first CPU, whose settings are those of all."""
        return self.cpus[0]

    @property
    def name(self) -> str:
        """Return the CPUs of the group as text, for example "CPUs 0-3"."""
        cpu_list = format_cpu_list(cpu.cpu for cpu in self.cpus)
        return f"CPU {cpu_list}" if len(self.cpus) == 1 else f"CPUs {cpu_list}"


def cpu_groups(result: ShowResult) -> tuple[CpuGroup, ...]:
    """Return the CPUs in groups with equal settings, in order.

    They have the same declared states, closed states, limits, frequency policy and energy bias.
    Activity is over the interval if there is one, else since boot.
    """
    by_settings: dict[object, list[CpuRecord]] = {}
    for cpu in result.cpus:
        by_settings.setdefault(_settings(cpu, result.frequency), []).append(cpu)
    seconds = result.uptime_s if result.interval_s is None else result.interval_s
    return tuple(_group(tuple(cpus), seconds) for cpus in by_settings.values())


def _group(cpus: tuple[CpuRecord, ...], seconds: float | None) -> CpuGroup:
    states = zip(*(cpu.states for cpu in cpus), strict=True)
    return CpuGroup(
        cpus,
        tuple(
            StateSummary(
                same_state[0],
                merged_activity([_activity(state, seconds) for state in same_state]),
            )
            for same_state in states
        ),
    )


def _activity(state: IdleStateRecord, seconds: float | None) -> StateActivity:
    counts = state.over_interval or state.since_boot
    return StateActivity(counts.entries, counts.time_us, counts.above, counts.below, seconds)


def _settings(cpu: CpuRecord, frequency: FrequencyRecord) -> object:
    policy = frequency.policy_of(cpu.cpu)
    states = tuple(
        (
            state.index,
            state.name,
            state.exit_latency_us,
            state.target_residency_us,
            state.disabled,
            state.default_disabled,
        )
        for state in cpu.states
    )
    policy_settings = policy and (
        policy.driver,
        policy.governor,
        policy.min_khz,
        policy.max_khz,
        policy.hardware_min_khz,
        policy.hardware_max_khz,
        policy.base_khz,
        policy.energy_preference,
    )
    bias = frequency.energy_bias.get(cpu.cpu)
    return (cpu.online, cpu.missing, states, cpu.latency_limit_us, policy_settings, bias)
