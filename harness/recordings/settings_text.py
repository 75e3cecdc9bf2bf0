"""What a measurement ran under: read before and after, and told as people read it."""

from cstates.fingerprint import Fingerprint, FrequencySetting, fingerprint
from cstates.observation import Observation, observe
from cstates.sysfs import present_cpus
from harness.cli.terminal import printable, wrapped
from stallscope.errors import StallscopeError
from stallscope.system_files import Roots


def settings_now() -> Observation | None:
    """Return how this machine's CPUs are set now; None where sysfs does not tell."""
    roots = Roots()
    try:
        return observe(roots, present_cpus(roots))
    except StallscopeError:
        return None


def settings_since(before: Observation | None) -> Fingerprint | None:
    """Return what ran since an observation ran under; None where sysfs did not tell."""
    after = settings_now()
    return None if before is None or after is None else fingerprint(before, after)


def settings_facts(found: Fingerprint | None) -> dict[str, str]:
    """Return labels and texts of a fingerprint; what is not known says why, and None nothing."""
    if found is None:
        return {}
    facts = {"sleep states": _sleep_text(found), "frequency": _frequency_text(found)}
    if found.warnings:
        facts["less repeatable"] = ", ".join(found.warnings)
    return facts


def settings_lines(found: Fingerprint | None, room: int) -> list[str]:
    """Return the same for a terminal, below an empty line."""
    facts = settings_facts(found)
    lines = [
        line
        for label, text in facts.items()
        for line in wrapped(printable(f"{label}: {text}"), room, "  ")
    ]
    return ["", *lines] if lines else []


def _sleep_text(found: Fingerprint) -> str:
    if not found.states:
        return found.idle_missing or "none"
    parts = []
    for state in found.states:
        entries = "entries unknown" if state.entries is None else f"{state.entries:,} entries"
        closed = state.cpus - state.open_cpus
        shut = f", closed on {closed} of {state.cpus} CPUs" if closed else ""
        parts.append(f"{state.name} {entries}{shut}")
    limit = ""
    if found.latency_limit_us is not None:
        limit = f"; latency limit {found.latency_limit_us} us"
    elif found.latency_limit_missing:
        limit = f"; latency limit unknown: {found.latency_limit_missing}"
    return f"{', '.join(parts)}; governor {found.idle_governor or 'unknown'}{limit}"


def _frequency_text(found: Fingerprint) -> str:
    if not found.frequencies:
        return found.frequency_missing or "unknown"
    turbo = {None: "turbo unknown", True: "turbo allowed", False: "no turbo"}[found.turbo_allowed]
    return f"{'; '.join(map(_setting_text, found.frequencies))}; {turbo}"


def _setting_text(each: FrequencySetting) -> str:
    low, high = each.min_khz or "?", each.max_khz or "?"
    limits = f"{low} kHz" if low == high and each.min_khz else f"{low} to {high} kHz"
    preference = f", EPP {each.energy_preference}" if each.energy_preference else ""
    return f"{each.governor or 'unknown governor'}, {limits}{preference}"
