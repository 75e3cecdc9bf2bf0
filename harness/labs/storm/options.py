"""Options of `stallscope lab storm`, and their values from the command line."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.cli.quantity_options import size_of
from harness.page.pictures import split_outputs
from ioprobe.curve.io_properties import DiskRates, read_rates
from ioprobe.storm import StormStreams
from ioprobe.target.simulated import PREFIX
from stallscope.errors import UsageError

REFERENCE_LIMIT = 128  # the recommended limit is compared with it
LIMITS = (128, 32, 16, 8)
READER_SHARES, WRITER_SHARES = 1000, 100
_LARGEST_LIMIT = 4096
_MAX_LIMITS = 12
_LARGEST_SHARE = 1_000_000
_DISK_RUN_S = 1.0
_SERVER_RUN_S = 3.0  # long enough for the compaction of a segment or more
_MODELLED_RUN_S = 10.0  # virtual time, computed within moments


@dataclass(frozen=True, slots=True)
class TrialOptions:
    """The trial that selects the recommended limit; short rounds, because a disk's speed drifts."""

    limits: tuple[int, ...] = (96, 64, 48, 32, 24, 16, 12, 8, 4)
    rounds: int = 20
    max_repeats: int = 3  # further times with the limits on which the rounds did not decide
    duration_s: float = 0.2
    warmup_s: float = 0.05


@dataclass(frozen=True, slots=True)
class StormOptions:
    """Options of a storm; without ``recommended`` a trial selects the limit."""

    path: str
    rounds: int = 5
    duration_s: float = 1.0
    warmup_s: float = 0.2
    limits: tuple[int, ...] = LIMITS
    recommended: int | None = None
    shares: tuple[int, int] = (READER_SHARES, WRITER_SHARES)
    first_come: bool = True  # also measure every limit without shares
    no_limit: bool = True  # also measure without a limit
    rest_s: float = 0.0  # before each run
    max_s: float | None = None  # time limit of the rounds; finished runs are kept
    trial: TrialOptions = field(default_factory=TrialOptions)
    streams: StormStreams = field(default_factory=StormStreams)
    size_bytes: int = 2**30
    span_bytes: int | None = None
    destroy: str | None = None
    io_properties: Path | None = None  # the file of ``rates``
    rates: DiskRates | None = None  # None: every request costs the same
    server: bool = False  # the reference server's queries beside its compaction
    write_share: float = 0.0  # of the clients' requests to the server
    output: Path | None = None
    pictures: tuple[Path, ...] = ()
    force: bool = False

    @property
    def run_s(self) -> float:
        """Return the time of one run, including the rest before it."""
        return self.rest_s + self.writing_s

    @property
    def writing_s(self) -> float:
        """Return the time during which one run sends requests."""
        return self.warmup_s + self.duration_s


def storm_options(path: str, values: dict[str, Any]) -> StormOptions:
    """Return the options from command-line values; raises UsageError for an invalid value."""
    modelled = path.startswith(PREFIX)
    default_s = _MODELLED_RUN_S if modelled else _SERVER_RUN_S if values["server"] else _DISK_RUN_S
    duration_s = values["duration_s"]
    output, pictures = split_outputs(values["output"])
    io_properties = values["io_properties"]
    return StormOptions(
        path=path,
        rounds=values["rounds"],
        duration_s=default_s if duration_s is None else duration_s,
        warmup_s=values["warmup_s"],
        rest_s=values["rest_s"],
        limits=_limits(values["limits"]),
        recommended=values["recommended"],
        trial=TrialOptions(rounds=1, duration_s=_MODELLED_RUN_S) if modelled else TrialOptions(),
        shares=_shares(values["shares"]),
        streams=StormStreams(
            reader_bytes=size_of("--read-block", values["read_block"]),
            writer_bytes=size_of("--write-block", values["write_block"]),
            writer_depth=values["depth"],
        ),
        size_bytes=size_of("--size", values["size"]),
        span_bytes=None if values["span"] is None else size_of("--span", values["span"]),
        destroy=values["destroy"],
        io_properties=io_properties,
        rates=None if io_properties is None else read_rates(io_properties),
        server=values["server"],
        write_share=_write_share(values),
        output=output,
        pictures=pictures,
        force=values["force"],
    )


def _write_share(values: dict[str, Any]) -> float:
    share = values["write_share"]
    if share and not values["server"]:
        raise UsageError("--write-share requires --server", "add --server")
    return float(share)


def _limits(text: str) -> tuple[int, ...]:
    words = [word.strip() for word in text.split(",")]
    limits = {int(word) for word in words if word.isascii() and word.isdecimal() and len(word) < 6}
    if len(limits) != len(set(words)) or not all(1 <= limit <= _LARGEST_LIMIT for limit in limits):
        raise UsageError(
            f"--limits: {text[:80]!r} is not a list of limits from 1 to {_LARGEST_LIMIT}",
            f"write it as {','.join(map(str, LIMITS))}",
        )
    if len(limits) > _MAX_LIMITS:
        raise UsageError(
            f"--limits has {len(limits)} limits; at most {_MAX_LIMITS} are allowed",
            "remove some limits",
        )
    return tuple(sorted(limits | {REFERENCE_LIMIT}, reverse=True))


def _shares(text: str) -> tuple[int, int]:
    words = text.split(":")
    shares = [int(word) for word in words if word.isascii() and word.isdecimal() and len(word) < 8]
    in_range = all(1 <= share <= _LARGEST_SHARE for share in shares)
    if len(words) != 2 or len(shares) != 2 or not in_range:
        raise UsageError(
            f"--shares: {text[:40]!r} is not a pair of whole numbers from 1 to {_LARGEST_SHARE:,}",
            "write the reader's share and the writer's, such as 1000:100",
        )
    return shares[0], shares[1]
