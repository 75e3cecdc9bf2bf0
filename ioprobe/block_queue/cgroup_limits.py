"""Rate limits of cgroups on a device; more queue depth does not exceed them.

The limits are those of this process's cgroups and their ancestors: io.max (version 2,
Documentation/admin-guide/cgroup-v2.rst) and blkio.throttle.* (version 1,
cgroup-v1/blkio-controller.rst).
"""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from stallscope.documents import Count, Record, field
from stallscope.quantities import size_text
from stallscope.system_files import Roots, read_text

_MAX_LEVELS = 64
_UNITS = {"riops": "reads", "wiops": "writes", "rbps": "of reads", "wbps": "of writes"}
_VERSION_1_FILES = {
    "riops": "blkio.throttle.read_iops_device",
    "wiops": "blkio.throttle.write_iops_device",
    "rbps": "blkio.throttle.read_bps_device",
    "wbps": "blkio.throttle.write_bps_device",
}


class CgroupLimit(Record, frozen=True):
    """One rate limit; ``key`` is its key in io.max."""

    cgroup: str
    number: str  # the device's
    key: str = field(name="what")
    per_s: Count

    @property
    def text(self) -> str:
        """Return the limit as text, with its unit."""
        amount = size_text(self.per_s) if self.key.endswith("bps") else f"{self.per_s:,}"
        return f"{amount} {_UNITS[self.key]} per second"


def read_limits(roots: Roots) -> tuple[CgroupLimit, ...]:
    """Return the limits of this process for all devices."""
    limits: list[CgroupLimit] = []
    for line in (read_text(roots.proc / "self" / "cgroup", 65536) or "").splitlines():
        _, controllers, path = [*line.split(":", 2), "", ""][:3]
        pure_path = PurePosixPath(path)
        if ".." in pure_path.parts or not pure_path.is_absolute():
            continue
        groups = [pure_path, *pure_path.parents][:_MAX_LEVELS]
        if not controllers:
            limits += [limit for group in groups for limit in _version_2(group, roots)]
        elif "blkio" in controllers.split(","):
            limits += [limit for group in groups for limit in _version_1(group, roots)]
    return tuple(dict.fromkeys(limits))


def _folder(hierarchy: Path, group: PurePosixPath) -> Path:
    return hierarchy / str(group).lstrip("/")


def _version_2(group: PurePosixPath, roots: Roots) -> Iterator[CgroupLimit]:
    hierarchies = (roots.sys / "fs" / "cgroup", roots.sys / "fs" / "cgroup" / "unified")
    for hierarchy in hierarchies:
        text = read_text(_folder(hierarchy, group) / "io.max", 65536) or ""
        for line in text.splitlines():
            number, *words = line.split()
            for word in words:
                key, _, value = word.partition("=")
                if key in _UNITS and value.isascii() and value.isdecimal():
                    yield CgroupLimit(str(group), number, key, int(value))


def _version_1(group: PurePosixPath, roots: Roots) -> Iterator[CgroupLimit]:
    folder = _folder(roots.sys / "fs" / "cgroup" / "blkio", group)
    for key, name in _VERSION_1_FILES.items():
        for line in (read_text(folder / name, 65536) or "").splitlines():
            number, _, value = line.partition(" ")
            if value.isascii() and value.isdecimal():
                yield CgroupLimit(str(group), number, key, int(value))
