"""The machine settings of a measurement: reading them before and after, and their text."""

from typing import TYPE_CHECKING

from cstates.fingerprint import Fingerprint, FrequencySetting, fingerprint
from harness.cli.terminal import printable, wrapped
from stallscope.errors import StallscopeError

if TYPE_CHECKING:
    from cstates.observation import Observation


def settings_now() -> "Observation | None":
    """Return this machine's current settings; None if sysfs is not readable."""
    from cstates.observation import observe  # noqa: PLC0415 - reports read nothing of this machine
    from cstates.sysfs import present_cpus  # noqa: PLC0415
    from stallscope.system_files import Roots  # noqa: PLC0415

    roots = Roots()
    try:
        return observe(roots, present_cpus(roots))
    except StallscopeError:
        return None


def settings_since(before: "Observation | None") -> Fingerprint | None:
    """Return the settings since an observation; None if sysfs was not readable."""
    after = settings_now()
    return None if before is None or after is None else fingerprint(before, after)


def settings_facts(settings: Fingerprint | None) -> dict[str, str]:
    """Return texts by label; a text gives the reason if a setting is unknown."""
    if settings is None:
        return {}
    facts = {"sleep states": _sleep_text(settings), "frequency": _frequency_text(settings)}
    if settings.warnings:
        facts["less repeatable"] = ", ".join(settings.warnings)
    return facts


def settings_lines(settings: Fingerprint | None, width: int) -> list[str]:
    """Return the settings for a terminal, after an empty line."""
    facts = settings_facts(settings)
    lines = [
        line
        for label, text in facts.items()
        for line in wrapped(printable(f"{label}: {text}"), width, "  ")
    ]
    return ["", *lines] if lines else []


def _sleep_text(settings: Fingerprint) -> str:
    if not settings.states:
        return settings.idle_missing or "none"
    parts = []
    for state in settings.states:
        entries = "entries unknown" if state.entries is None else f"{state.entries:,} entries"
        closed = state.cpus - state.open_cpus
        closed_text = f", closed on {closed} of {state.cpus} CPUs" if closed else ""
        parts.append(f"{state.name} {entries}{closed_text}")
    limit = ""
    if settings.latency_limit_us is not None:
        limit = f"; latency limit {settings.latency_limit_us} us"
    elif settings.latency_limit_missing:
        limit = f"; latency limit unknown: {settings.latency_limit_missing}"
    return f"{', '.join(parts)}; governor {settings.idle_governor or 'unknown'}{limit}"


def _frequency_text(settings: Fingerprint) -> str:
    if not settings.frequencies:
        return settings.frequency_missing or "unknown"
    turbo = {None: "turbo unknown", True: "turbo allowed", False: "no turbo"}[
        settings.turbo_allowed
    ]
    return f"{'; '.join(map(_setting_text, settings.frequencies))}; {turbo}"


def _setting_text(setting: FrequencySetting) -> str:
    low, high = setting.min_khz or "?", setting.max_khz or "?"
    limits = f"{low} kHz" if low == high and setting.min_khz else f"{low} to {high} kHz"
    preference = f", EPP {setting.energy_preference}" if setting.energy_preference else ""
    return f"{setting.governor or 'unknown governor'}, {limits}{preference}"
