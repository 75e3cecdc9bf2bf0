"""What a disk can do, in the form that seastar reads with --io-properties-file.

The form is of seastar's doc/io-properties-file.md: a map with a list ``disks``, each with a
mountpoint, requests a second at small random requests and bytes a second at large sequential ones,
reads and writes apart.
"""

from dataclasses import dataclass

_READ_ONLY = """\
# Writes were not measured: seastar asks for write_iops and write_bandwidth as well. Measure them
# with --kind writes, or add numbers you trust.
"""


@dataclass(frozen=True, slots=True)
class DiskProperties:
    """One disk's limits; None for what was not measured, which the file then leaves out."""

    mountpoint: str
    read_iops: float | None = None
    read_bandwidth: float | None = None  # bytes a second
    write_iops: float | None = None
    write_bandwidth: float | None = None

    def document(self) -> dict[str, str | int]:
        """Return the disk's entry: whole numbers, rounded down, of what was measured."""
        rates = {
            "read_iops": self.read_iops,
            "read_bandwidth": self.read_bandwidth,
            "write_iops": self.write_iops,
            "write_bandwidth": self.write_bandwidth,
        }
        known = {name: int(rate) for name, rate in rates.items() if rate is not None and rate >= 1}
        return {"mountpoint": self.mountpoint, **known}


def properties_text(disk: DiskProperties) -> str:
    """Return the file of one disk, as YAML."""
    import yaml  # noqa: PLC0415 - start-up stays light

    entry = disk.document()
    head = "" if {"write_iops", "write_bandwidth"} <= entry.keys() else _READ_ONLY
    return head + yaml.safe_dump({"disks": [entry]}, sort_keys=False)
