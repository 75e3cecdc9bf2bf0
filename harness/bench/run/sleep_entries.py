"""Entries into the CPUs' sleep states between two moments, from counters of cpuidle."""

import os
from contextlib import suppress
from pathlib import Path

from stallscope.system_files import names_in, read_text

_CPUS = Path("/sys/devices/system/cpu")


class SleepEntries:
    """The counters of all CPUs by state; kept open, so that a reading is one call per counter."""

    def __init__(self, cpus: Path = _CPUS) -> None:
        """Open the counters; without cpuidle there are no states."""
        self._files: dict[str, list[int]] = {}
        for cpu in names_in(cpus):
            if not cpu.removeprefix("cpu").isdecimal():
                continue
            folder = cpus / cpu / "cpuidle"
            for state in names_in(folder):
                name = (read_text(folder / state / "name", 4096) or state).strip()
                with suppress(OSError):
                    file = os.open(folder / state / "usage", os.O_RDONLY | os.O_CLOEXEC)
                    self._files.setdefault(name, []).append(file)

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the states."""
        return tuple(self._files)

    def read(self) -> tuple[int, ...]:
        """Return the entries since boot into each state, summed over the CPUs."""
        return tuple(sum(map(_value, files)) for files in self._files.values())

    def __del__(self) -> None:
        """Close the counters."""
        for files in self._files.values():
            for file in files:
                os.close(file)


def _value(file: int) -> int:
    with suppress(OSError, ValueError):
        return int(os.pread(file, 32, 0))
    return 0
