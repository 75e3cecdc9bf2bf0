"""Settings of the command's own process, which end with it."""

import ctypes
import os
from dataclasses import dataclass

from cstates.pinning.knobs import SettingChange, change
from cstates.pinning.request import PinRequest
from cstates.pinning.targets import PinTargets
from cstates.sysfs import online_cpus
from stallscope.cpu_lists import format_cpu_list
from stallscope.errors import UnableError
from stallscope.system_files import Roots

PR_SET_PDEATHSIG = 1  # include/uapi/linux/prctl.h
PR_SET_THP_DISABLE = 41
PR_GET_THP_DISABLE = 42
ADDR_NO_RANDOMIZE = 0x0040000  # include/uapi/linux/personality.h
_QUERY = 0xFFFFFFFF
_LIBC = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True, slots=True)
class ProcessScope:
    """What a command's process sets for itself before exec; None or False: unchanged."""

    cpus: tuple[int, ...] | None = None
    nice: int | None = None
    aslr_off: bool = False
    thp_off: bool = False

    def enter(self) -> None:
        """Apply the settings to this process; raises OSError."""
        if self.cpus is not None:
            os.sched_setaffinity(0, self.cpus)
        if self.nice is not None:
            os.setpriority(os.PRIO_PROCESS, 0, self.nice)
        if self.aslr_off:
            _checked(
                "personality", _LIBC.personality(_LIBC.personality(_QUERY) | ADDR_NO_RANDOMIZE)
            )
        if self.thp_off:
            _checked("prctl", _LIBC.prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0))


def die_with_parent(number: int) -> None:
    """Make the kernel signal this process when the thread that started it ends."""
    _checked("prctl", _LIBC.prctl(PR_SET_PDEATHSIG, number, 0, 0, 0))


def _checked(call: str, result: int) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{call}: {os.strerror(number)}")


def plan_process(
    roots: Roots, request: PinRequest, targets: PinTargets
) -> tuple[ProcessScope, tuple[SettingChange, ...]]:
    """Return the settings of the command's process, also as changes for display.

    Raises UnableError for a niceness that needs root.
    """
    bound = request.cpus is not None or request.smt_siblings_idle
    changes = []
    if bound:
        current = os.sched_getaffinity(0) if roots.is_live else online_cpus(roots)
        changes.append(
            change("affinity", format_cpu_list(current), format_cpu_list(targets.command))
        )
    if request.nice is not None:
        current_nice = os.getpriority(os.PRIO_PROCESS, 0)
        if request.nice < current_nice and os.geteuid() != 0:
            raise UnableError(f"--nice {request.nice} needs root", "name a greater niceness")
        changes.append(change("nice", str(current_nice), str(request.nice)))
    if request.aslr_off:
        fixed = _LIBC.personality(_QUERY) & ADDR_NO_RANDOMIZE
        changes.append(change("aslr", "off" if fixed else "on", "off"))
    if request.thp_off:
        off = _LIBC.prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) == 1
        changes.append(change("thp", "off" if off else "on", "off"))
    # A command started here cannot run on the CPUs of a recorded machine.
    cpus = targets.command if bound and roots.is_live else None
    scope = ProcessScope(cpus, request.nice, request.aslr_off, request.thp_off)
    return scope, tuple(planned for planned in changes if planned.old != planned.new)
