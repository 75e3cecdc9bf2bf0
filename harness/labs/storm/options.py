"""From the words of a command line to what `stallscope lab storm` is asked."""

from typing import Any

from harness.io.curve.options import size_of
from harness.labs.storm.plan import AGAINST, LIMITS, StormOptions, TrialPlan
from ioprobe.storm import Streams
from ioprobe.target.simulated import PREFIX
from stallscope.errors import UsageError

_MOST_LIMIT = 4096
_MOST_LIMITS = 12
_MEASURED_S = 1.0
_SERVER_S = 3.0  # compaction of a segment or some
_MODELLED_S = 10.0  # in virtual time, a matter of moments


def storm_options(path: str, values: dict[str, Any]) -> StormOptions:
    """Return what is asked; UsageError for words that make no sense."""
    modelled = path.startswith(PREFIX)
    usual_s = _MODELLED_S if modelled else _SERVER_S if values["server"] else _MEASURED_S
    duration_s = values["duration_s"]
    return StormOptions(
        path=path,
        rounds=values["rounds"],
        duration_s=usual_s if duration_s is None else duration_s,
        warmup_s=values["warmup_s"],
        rest_s=values["rest_s"],
        limits=_limits(values["limits"]),
        recommended=values["recommended"],
        trial=TrialPlan(rounds=1, duration_s=_MODELLED_S) if modelled else TrialPlan(),
        shares=_shares(values["shares"]),
        streams=Streams(
            reader_bytes=size_of("--read-block", values["read_block"]),
            writer_bytes=size_of("--write-block", values["write_block"]),
            writer_depth=values["depth"],
        ),
        size_bytes=size_of("--size", values["size"]),
        span_bytes=None if values["span"] is None else size_of("--span", values["span"]),
        destroy=values["destroy"],
        server=values["server"],
        output=values["output"],
        force=values["force"],
    )


def _limits(text: str) -> tuple[int, ...]:
    words = [word.strip() for word in text.split(",")]
    found = {int(word) for word in words if word.isascii() and word.isdecimal() and len(word) < 6}
    if len(found) != len(set(words)) or not all(1 <= one <= _MOST_LIMIT for one in found):
        raise UsageError(
            f"--limits: {text[:80]!r} is no list of limits from 1 to {_MOST_LIMIT}",
            f"write it as {','.join(map(str, LIMITS))}",
        )
    if len(found) > _MOST_LIMITS:
        raise UsageError(f"--limits has {len(found)} limits, at most {_MOST_LIMITS} fit",
                         "name fewer of them")  # fmt: skip
    return tuple(sorted(found | {AGAINST}, reverse=True))


def _shares(text: str) -> tuple[int, int]:
    words = text.split(":")
    found = [int(word) for word in words if word.isascii() and word.isdecimal() and len(word) < 8]
    if len(words) != 2 or len(found) != 2 or not all(1 <= one <= 1_000_000 for one in found):
        raise UsageError(
            f"--shares: {text[:40]!r} is no pair of whole numbers from 1 to 1,000,000",
            "the reader's and the writer's, as 1000:100",
        )
    return found[0], found[1]
