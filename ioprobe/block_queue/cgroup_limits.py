"""Limits that cgroups put on a device: a rate limiter, which no depth outruns.

Of this process's own cgroups and those above them: io.max (version 2, Documentation/admin-guide/
cgroup-v2.rst) and blkio.throttle.* (version 1, cgroup-v1/blkio-controller.rst).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from stallscope.quantities import size_text
from stallscope.system_files import Roots, read_text

_MOST_LEVELS = 64
_WORDS = {"riops": "reads", "wiops": "writes", "rbps": "of reads", "wbps": "of writes"}
_VERSION_1 = {
    "riops": "blkio.throttle.read_iops_device",
    "wiops": "blkio.throttle.write_iops_device",
    "rbps": "blkio.throttle.read_bps_device",
    "wbps": "blkio.throttle.write_bps_device",
}


@dataclass(frozen=True, slots=True)
class CgroupLimit:
    """One limit; ``what`` is the key of io.max."""

    cgroup: str
    number: str  # the device's
    what: str
    per_s: int

    @property
    def text(self) -> str:
        """Return the limit as a person reads it."""
        amount = size_text(self.per_s) if self.what.endswith("bps") else f"{self.per_s:,}"
        return f"{amount} {_WORDS[self.what]} a second"


def read_limits(roots: Roots) -> tuple[CgroupLimit, ...]:
    """Return the limits that hold for this process, whatever the device."""
    found: list[CgroupLimit] = []
    for line in (read_text(roots.proc / "self" / "cgroup", 65536) or "").splitlines():
        _, controllers, path = [*line.split(":", 2), "", ""][:3]
        pure = PurePosixPath(path)
        if ".." in pure.parts or not pure.is_absolute():
            continue
        groups = [pure, *pure.parents][:_MOST_LEVELS]
        if not controllers:
            found += [limit for group in groups for limit in _version_2(group, roots)]
        elif "blkio" in controllers.split(","):
            found += [limit for group in groups for limit in _version_1(group, roots)]
    return tuple(dict.fromkeys(found))


def _folder(hierarchy: Path, group: PurePosixPath) -> Path:
    return hierarchy / str(group).lstrip("/")


def _version_2(group: PurePosixPath, roots: Roots) -> Iterator[CgroupLimit]:
    mounts = (roots.sys / "fs" / "cgroup", roots.sys / "fs" / "cgroup" / "unified")
    for hierarchy in mounts:
        text = read_text(_folder(hierarchy, group) / "io.max", 65536) or ""
        for line in text.splitlines():
            number, *words = line.split()
            for word in words:
                what, _, value = word.partition("=")
                if what in _WORDS and value.isascii() and value.isdecimal():
                    yield CgroupLimit(str(group), number, what, int(value))


def _version_1(group: PurePosixPath, roots: Roots) -> Iterator[CgroupLimit]:
    folder = _folder(roots.sys / "fs" / "cgroup" / "blkio", group)
    for what, name in _VERSION_1.items():
        for line in (read_text(folder / name, 65536) or "").splitlines():
            number, _, value = line.partition(" ")
            if value.isascii() and value.isdecimal():
                yield CgroupLimit(str(group), number, what, int(value))
