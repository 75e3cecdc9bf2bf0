"""Limits of a disk in the format that seastar reads with --io-properties-file.

The format is defined in seastar's doc/io-properties-file.md: a map with a list ``disks``; each disk
has a mountpoint, requests per second of small random requests, and bytes per second of large
sequential requests, for reads and for writes.
"""

from dataclasses import dataclass

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
        known = {name: int(rate) for name, rate in rates.items() if rate is not None and rate >= 1}
        return {"mountpoint": self.mountpoint, **known}


def properties_text(disk: DiskProperties) -> str:
    """Return the YAML text of the file for one disk."""
    import yaml  # noqa: PLC0415 - start-up stays light

    entry = disk.document()
    head = "" if {"write_iops", "write_bandwidth"} <= entry.keys() else _READS_ONLY
    return head + yaml.safe_dump({"disks": [entry]}, sort_keys=False)
