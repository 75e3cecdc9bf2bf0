"""Where sysfs keeps CPUs, their sleep states and frequencies; the roots are passed in."""

from pathlib import Path

from stallscope.cpu_lists import format_cpu_list, parse_cpu_list
from stallscope.errors import StallscopeError, UnableError, UsageError
from stallscope.system_files import Roots, numbers_in, read_text, roots_at


def machine_roots(sysfs_root: Path, proc_root: Path) -> Roots:
    """Return the roots of a machine; ``sys`` and ``proc`` of one folder take its ``dev`` along.

    Raises UsageError where the sysfs root holds no CPUs.
    """
    roots = roots_at(sysfs_root, proc_root)
    if not cpu_folder(roots).is_dir():
        raise UsageError(
            f"{sysfs_root} holds no devices/system/cpu, so it is no sysfs",
            "name the sys folder of a machine's tree, as --sysfs-root TREE/sys",
        )
    return roots


def cpu_folder(roots: Roots, cpu: int | None = None) -> Path:
    """Return the folder of all CPUs, or of one."""
    folder = roots.sys / "devices" / "system" / "cpu"
    return folder if cpu is None else folder / f"cpu{cpu}"


def present_cpus(roots: Roots) -> tuple[int, ...]:
    """Return the CPUs that have a folder of their own in sysfs, in order."""
    return numbers_in(cpu_folder(roots), "cpu")


def online_cpus(roots: Roots) -> frozenset[int]:
    """Return the CPUs that are online; all present ones where the kernel keeps no list."""
    text = read_text(cpu_folder(roots) / "online", 65536)
    if not text:
        return frozenset(present_cpus(roots))
    try:
        return frozenset(parse_cpu_list(text, "the list"))
    except StallscopeError as error:
        raise UnableError(
            f"{cpu_folder(roots) / 'online'}: {error.message}", "the kernel's lists are as 0-3,8"
        ) from error


def chosen_cpus(roots: Roots, text: str | None) -> tuple[int, ...]:
    """Return the CPUs of a list that a person wrote, all present ones without.

    Raises UsageError where the list is none or names CPUs that this machine has not.
    """
    present = present_cpus(roots)
    if text is None:
        return present
    wanted = parse_cpu_list(text)
    absent = sorted(set(wanted) - set(present))
    if absent:
        raise UsageError(
            f"--cpus {text!r}: this machine has no CPU {format_cpu_list(absent)}",
            f"its CPUs are {format_cpu_list(present)}",
        )
    return wanted
