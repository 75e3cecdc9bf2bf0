"""Managed runtimes in words: samples with names, and the others by reason."""

from harness.cli.terminal import percent
from harness.profile.runtime_result import RuntimeResult
from stallscope.printable import printable

_NAMES = {
    "v8": "V8 (JavaScript)",
    "hotspot": "HotSpot (Java)",
    "cpython": "CPython",
    "ruby": "Ruby",
    "php": "PHP",
}
_MAX_REASONS = 4
_MAX_TIERS = 4
_MAX_WORKS = 4


def runtime_text(runtime: RuntimeResult) -> str:
    """Return the share of named samples, the reasons of the others, and the tiers of the code."""
    name = f"{_NAMES.get(runtime.name, runtime.name)} {runtime.version}".strip()
    if not runtime.samples:
        return f"{printable(name)}: no samples"
    text = (
        f"{percent(runtime.named / runtime.samples)} of {runtime.samples:,} samples of "
        f"{printable(name)} have all names"
    )
    for reason, count in list(runtime.failed.items())[:_MAX_REASONS]:
        text += f"; {percent(count / runtime.samples)}: {printable(reason)}"
    innermost = sum(runtime.tiers.values())
    if innermost:
        shares = [
            f"{percent(count / innermost)} {printable(tier)}"
            for tier, count in list(runtime.tiers.items())[:_MAX_TIERS]
        ]
        text += f"; code: {', '.join(shares)}"
    if runtime.works:
        shares = [
            f"{percent(count / runtime.samples)} {printable(work.strip('[]'))}"
            for work, count in list(runtime.works.items())[:_MAX_WORKS]
        ]
        text += f"; its own threads: {', '.join(shares)}"
    return text
