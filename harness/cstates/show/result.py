"""The result of `stallscope cstates show`; missing values are null, with the reason beside them."""

from typing import Literal

from cstates.frequency import FrequencyPolicy, Turbo
from cstates.idle.states import ClosedBy, IdleState
from cstates.latency_limit import LimitHolder
from cstates.observation import CpuObservation, Observation, StateActivity
from stallscope.documents import Amount, Count, Document, Integer, Record, Share


class ActivityCounts(Record, frozen=True, kw_only=True):
    """A state's activity on one CPU over a span; None if a counter was not read."""

    entries: Count | None = None
    time_us: Count | None = None
    above: Count | None = None  # entries that were too deep
    below: Count | None = None  # entries that were too shallow
    residency_share: Share | None = None
    entries_per_s: Amount | None = None
    above_per_s: Amount | None = None
    below_per_s: Amount | None = None
    above_share: Share | None = None  # of entries
    below_share: Share | None = None


class IdleStateRecord(Record, frozen=True, kw_only=True):
    """A sleep state of one CPU, as declared, with its counters since boot."""

    name: str
    index: Count
    description: str
    exit_latency_us: Count | None
    target_residency_us: Count | None
    disabled: bool | None
    default_disabled: bool | None
    closed_by: ClosedBy | None
    usage: Count | None
    time_us: Count | None
    above: Count | None
    below: Count | None
    rejected: Count | None
    since_boot: ActivityCounts
    over_interval: ActivityCounts | None


class CpuRecord(Record, frozen=True, kw_only=True):
    """A CPU with its effective latency limit and its states."""

    cpu: Count
    online: bool
    missing: str | None  # why it has no states
    latency_limit_us: Count | None
    resume_latency_limit_us: Count | None
    states: tuple[IdleStateRecord, ...]


class LimitRecord(Record, frozen=True, kw_only=True):
    """The global limit on exit latency, and the processes that may have requested it."""

    global_us: Count | None
    missing: str | None
    holders: tuple[LimitHolder, ...]
    unseen_processes: Count


class FrequencyRecord(Record, frozen=True, kw_only=True):
    """The frequency settings of the machine."""

    missing: str | None
    driver_status: str | None
    turbo: Turbo | None
    smt: str | None
    energy_bias: dict[Integer, Integer]  # by CPU
    policies: tuple[FrequencyPolicy, ...]

    def policy_of(self, cpu: int) -> FrequencyPolicy | None:
        """Return the policy of a CPU, or None."""
        return next((policy for policy in self.policies if cpu in policy.cpus), None)


class ShowResult(Document, frozen=True, kw_only=True, tag="stallscope.cstates.show/1"):
    """A machine's sleep states, limits and frequency."""

    source: Literal["measured"] = "measured"
    driver: str | None
    governor: str | None
    available_governors: tuple[str, ...]
    missing: str | None  # why there is no driver
    uptime_s: Amount | None
    interval_s: Amount | None
    latency_limit: LimitRecord
    frequency: FrequencyRecord
    cpus: tuple[CpuRecord, ...]


def show_result(observation: Observation) -> ShowResult:
    """Return the result of an observation."""
    machine, limit, frequency = observation.machine, observation.limit, observation.frequency
    return ShowResult(
        driver=machine.driver,
        governor=machine.governor,
        available_governors=machine.available_governors,
        missing=machine.missing,
        uptime_s=observation.boot.seconds,
        interval_s=observation.interval.seconds if observation.interval else None,
        latency_limit=LimitRecord(
            global_us=limit.limit_us,
            missing=limit.missing,
            holders=limit.holders,
            unseen_processes=limit.unseen_processes,
        ),
        frequency=FrequencyRecord(
            missing=frequency.missing,
            driver_status=frequency.driver_status,
            turbo=frequency.turbo,
            smt=frequency.smt,
            energy_bias=frequency.energy_bias,
            policies=frequency.policies,
        ),
        cpus=tuple(map(_cpu, observation.cpus)),
    )


def _cpu(cpu: CpuObservation) -> CpuRecord:
    interval = cpu.over_interval or (None,) * len(cpu.idle.states)
    return CpuRecord(
        cpu=cpu.idle.cpu,
        online=cpu.idle.online,
        missing=cpu.idle.missing,
        latency_limit_us=cpu.effective_limit_us,
        resume_latency_limit_us=cpu.idle.resume_limit_us,
        states=tuple(
            _state(state, cpu.effective_limit_us, since_boot, over_interval)
            for state, since_boot, over_interval in zip(
                cpu.idle.states, cpu.since_boot, interval, strict=True
            )
        ),
    )


def _state(
    state: IdleState,
    limit_us: int | None,
    since_boot: StateActivity,
    over_interval: StateActivity | None,
) -> IdleStateRecord:
    return IdleStateRecord(
        name=state.name,
        index=state.index,
        description=state.description,
        exit_latency_us=state.exit_latency_us,
        target_residency_us=state.target_residency_us,
        disabled=state.disabled,
        default_disabled=state.default_disabled,
        closed_by=state.closed_by(limit_us),
        usage=state.usage,
        time_us=state.time_us,
        above=state.above,
        below=state.below,
        rejected=state.rejected,
        since_boot=_activity(since_boot),
        over_interval=None if over_interval is None else _activity(over_interval),
    )


def _activity(activity: StateActivity) -> ActivityCounts:
    return ActivityCounts(
        entries=activity.entries,
        time_us=activity.time_us,
        above=activity.above,
        below=activity.below,
        residency_share=activity.residency_share,
        entries_per_s=activity.entries_per_s,
        above_per_s=activity.above_per_s,
        below_per_s=activity.below_per_s,
        above_share=activity.above_share,
        below_share=activity.below_share,
    )
