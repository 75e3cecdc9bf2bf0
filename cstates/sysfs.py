"""Where sysfs keeps CPUs, their sleep states and frequencies; the roots are passed in."""

from pathlib import Path

from stallscope.cpu_lists import format_cpu_list, parse_cpu_list
from stallscope.errors import StallscopeError, UnableError, UsageError
from stallscope.system_files import Roots, numbers_in, read_text, roots_at


def machine_roots(sysfs_root: Path, proc_root: Path) -> Roots:
    """Return the roots of a machine; ``sys`` and ``proc`` in one folder imply its ``dev``.

    Raises UsageError if the sysfs root has no CPUs.
    """
    roots = roots_at(sysfs_root, proc_root)
    if not cpu_folder(roots).is_dir():
        raise UsageError(
            f"{sysfs_root} is not a sysfs tree: devices/system/cpu is missing",
            "name the sys folder of a machine tree, for example --sysfs-root TREE/sys",
        )
    return roots


def cpu_folder(roots: Roots, cpu: int | None = None) -> Path:
    """Return the sysfs folder of all CPUs, or of one CPU."""
    folder = roots.sys / "devices" / "system" / "cpu"
    return folder if cpu is None else folder / f"cpu{cpu}"


def present_cpus(roots: Roots) -> tuple[int, ...]:
    """Return the CPUs that have a folder in sysfs, in order."""
    return numbers_in(cpu_folder(roots), "cpu")


def online_cpus(roots: Roots) -> frozenset[int]:
    """Return the online CPUs; all present CPUs if the kernel keeps no list."""
    text = read_text(cpu_folder(roots) / "online", 65536)
    if not text:
        return frozenset(present_cpus(roots))
    try:
        return frozenset(parse_cpu_list(text, "the list"))
    except StallscopeError as error:
        raise UnableError(
            f"{cpu_folder(roots) / 'online'}: {error.message}",
            "the kernel writes CPU lists such as 0-3,8",
        ) from error


def chosen_cpus(roots: Roots, text: str | None) -> tuple[int, ...]:
    """Return the CPUs of a ``--cpus`` list; all present CPUs if the list is None.

    Raises UsageError if the text is not a CPU list or names a CPU that the machine does not have.
    """
    present = present_cpus(roots)
    if text is None:
        return present
    selected = parse_cpu_list(text)
    absent = sorted(set(selected) - set(present))
    if absent:
        raise UsageError(
            f"--cpus {text!r}: this machine has no CPU {format_cpu_list(absent)}",
            f"its CPUs are {format_cpu_list(present)}",
        )
    return selected
