"""What is set in the command's own process: gone with it, whoever is killed."""

import ctypes
import os
from dataclasses import dataclass

from cstates.pinning.knobs import Change, change
from cstates.pinning.request import PinRequest
from cstates.pinning.targets import Targets
from cstates.sysfs import online_cpus
from stallscope.cpu_lists import format_cpu_list
from stallscope.errors import UnableError
from stallscope.system_files import Roots

PR_SET_PDEATHSIG = 1  # include/uapi/linux/prctl.h
PR_SET_THP_DISABLE = 41
PR_GET_THP_DISABLE = 42
ADDR_NO_RANDOMIZE = 0x0040000  # include/uapi/linux/personality.h
_ASK = 0xFFFFFFFF
_LIBC = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True, slots=True)
class ProcessScope:
    """What a command's process sets for itself before it runs; None or False: as it is."""

    cpus: tuple[int, ...] | None = None
    nice: int | None = None
    aslr_off: bool = False
    thp_off: bool = False

    def enter(self) -> None:
        """Set all of it for this process; raises OSError."""
        if self.cpus is not None:
            os.sched_setaffinity(0, self.cpus)
        if self.nice is not None:
            os.setpriority(os.PRIO_PROCESS, 0, self.nice)
        if self.aslr_off:
            _checked("personality", _LIBC.personality(_LIBC.personality(_ASK) | ADDR_NO_RANDOMIZE))
        if self.thp_off:
            _checked("prctl", _LIBC.prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0))


def die_with_parent(number: int) -> None:
    """Let the kernel send this process a signal when the thread that started it ends."""
    _checked("prctl", _LIBC.prctl(PR_SET_PDEATHSIG, number, 0, 0, 0))


def _checked(call: str, answer: int) -> None:
    if answer < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{call}: {os.strerror(number)}")


def plan_process(
    roots: Roots, request: PinRequest, targets: Targets
) -> tuple[ProcessScope, tuple[Change, ...]]:
    """Return what the command's process will set, and the same as changes to be shown.

    Raises UnableError for a niceness that this user may not take.
    """
    bound = request.cpus is not None or request.smt_siblings_idle
    changes = []
    if bound:
        now = os.sched_getaffinity(0) if roots.is_live else online_cpus(roots)
        changes.append(change("affinity", format_cpu_list(now), format_cpu_list(targets.command)))
    if request.nice is not None:
        now_nice = os.getpriority(os.PRIO_PROCESS, 0)
        if request.nice < now_nice and os.geteuid() != 0:
            raise UnableError(f"--nice {request.nice} takes root", "name a greater niceness")
        changes.append(change("nice", str(now_nice), str(request.nice)))
    if request.aslr_off:
        fixed = _LIBC.personality(_ASK) & ADDR_NO_RANDOMIZE
        changes.append(change("aslr", "off" if fixed else "on", "off"))
    if request.thp_off:
        off = _LIBC.prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) == 1
        changes.append(change("thp", "off" if off else "on", "off"))
    # A recorded machine's CPUs are not those that a command started here could run on.
    cpus = targets.command if bound and roots.is_live else None
    scope = ProcessScope(cpus, request.nice, request.aslr_off, request.thp_off)
    return scope, tuple(each for each in changes if each.old != each.new)
