"""Limits of a disk in the format that seastar reads with --io-properties-file.

The format is defined in seastar's doc/io-properties-file.md: a map with a list ``disks``; each disk
has a mountpoint, requests per second of small random requests, and bytes per second of large
sequential requests, for reads and for writes.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec

from stallscope.documents import Record, read_bounded
from stallscope.errors import UsageError

_LARGEST_BYTES = 2**16
_EXAMPLE = "stallscope io curve DIR --kind writes --io-properties FILE"

Rate = Annotated[float, msgspec.Meta(ge=1, le=1e15)]


class DiskRates(Record, frozen=True, kw_only=True):
    """The limits of a disk in both directions; bandwidths are in bytes per second.

    The I/O queue computes the cost of a request by its direction and size from them.
    """

    read_iops: Rate
    read_bandwidth: Rate
    write_iops: Rate
    write_bandwidth: Rate

    def argument(self) -> str:
        """Return the rates in the form of the server's option --disk-rates."""
        return ",".join(
            f"{name}={int(rate)}" for name, rate in msgspec.structs.asdict(self).items()
        )


class _PropertiesFile(Record, frozen=True):
    disks: tuple[DiskRates, ...]


_READS_ONLY = """\
# Writes were not measured, but seastar also requires write_iops and write_bandwidth. Measure them
# with --kind writes, or add trusted numbers.
"""


@dataclass(frozen=True, slots=True)
class DiskProperties:
    """Limits of one disk; a limit that was not measured is None and left out of the file."""

    mountpoint: str
    read_iops: float | None = None
    read_bandwidth: float | None = None  # bytes per second
    write_iops: float | None = None
    write_bandwidth: float | None = None

    def document(self) -> dict[str, str | int]:
        """Return the disk's entry; limits are rounded down to whole numbers."""
        rates = {
            "read_iops": self.read_iops,
            "read_bandwidth": self.read_bandwidth,
            "write_iops": self.write_iops,
            "write_bandwidth": self.write_bandwidth,
        }
        limits = {name: int(rate) for name, rate in rates.items() if rate is not None and rate >= 1}
        return {"mountpoint": self.mountpoint, **limits}


def properties_text(disk: DiskProperties) -> str:
    """Return the YAML text of the file for one disk."""
    import yaml  # noqa: PLC0415 - start-up stays light

    entry = disk.document()
    head = "" if {"write_iops", "write_bandwidth"} <= entry.keys() else _READS_ONLY
    return head + yaml.safe_dump({"disks": [entry]}, sort_keys=False)


def read_rates(path: Path) -> DiskRates:
    """Return the limits of the disk in a file that ``properties_text`` wrote.

    Raises UsageError if the file has several disks, or if a limit is missing or invalid;
    RecordingError if it cannot be read.
    """
    import yaml  # noqa: PLC0415 - start-up stays light

    try:
        document = yaml.safe_load(read_bounded(path, _LARGEST_BYTES))
        disks = msgspec.convert(document, _PropertiesFile).disks
    except (yaml.YAMLError, RecursionError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not YAML: {error}", f"write it with {_EXAMPLE}") from error
    except msgspec.ValidationError as error:
        raise UsageError(
            f"{path} does not have all limits of a disk: {error}", f"measure them with {_EXAMPLE}"
        ) from error
    if len(disks) != 1:
        raise UsageError(f"{path} has {len(disks)} disks, expected one", "remove the others")
    return disks[0]
