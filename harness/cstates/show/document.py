"""The document of `stallscope cstates show --json`; missing is null, and the reason beside it."""

from dataclasses import asdict

from cstates.observation import CpuObservation, Observation, StateActivity

SCHEMA = "stallscope.cstates.show/1"


def document(observation: Observation) -> dict[str, object]:
    """Return the observation as JSON takes it."""
    machine, limit, frequency = observation.machine, observation.limit, observation.frequency
    return {
        "schema": SCHEMA,
        "source": "measured",
        "driver": machine.driver,
        "governor": machine.governor,
        "available_governors": list(machine.available_governors),
        "missing": machine.missing,
        "uptime_s": observation.boot.seconds,
        "interval_s": observation.interval and observation.interval.seconds,
        "latency_limit": {
            "global_us": limit.limit_us,
            "missing": limit.missing,
            "holders": [asdict(holder) for holder in limit.holders],
            "unseen_processes": limit.unseen_processes,
        },
        "frequency": {
            "missing": frequency.missing,
            "driver_status": frequency.driver_status,
            "turbo": frequency.turbo and asdict(frequency.turbo),
            "smt": frequency.smt,
            "energy_bias": {str(cpu): bias for cpu, bias in frequency.energy_bias.items()},
            "policies": [asdict(policy) for policy in frequency.policies],
        },
        "cpus": [_cpu(cpu) for cpu in observation.cpus],
    }


def _cpu(cpu: CpuObservation) -> dict[str, object]:
    over = cpu.over_interval
    return {
        "cpu": cpu.idle.cpu,
        "online": cpu.idle.online,
        "missing": cpu.idle.missing,
        "latency_limit_us": cpu.effective_limit_us,
        "resume_latency_limit_us": cpu.idle.resume_limit_us,
        "states": [
            {
                "name": state.name,
                "index": state.index,
                "description": state.description,
                "exit_latency_us": state.exit_latency_us,
                "target_residency_us": state.target_residency_us,
                "disabled": state.disabled,
                "default_disabled": state.default_disabled,
                "closed_by": state.closed_by(cpu.effective_limit_us),
                "usage": state.usage,
                "time_us": state.time_us,
                "above": state.above,
                "below": state.below,
                "rejected": state.rejected,
                "since_boot": _activity(cpu.since_boot[place]),
                "over_interval": _activity(over[place]) if over else None,
            }
            for place, state in enumerate(cpu.idle.states)
        ],
    }


def _activity(activity: StateActivity) -> dict[str, object]:
    return {
        "entries": activity.entries,
        "residency_share": activity.residency_share,
        "entries_per_s": activity.entries_per_s,
        "above_per_s": activity.above_per_s,
        "below_per_s": activity.below_per_s,
        "above_share": activity.above_share,
        "below_share": activity.below_share,
    }
