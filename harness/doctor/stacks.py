"""Checks of the stacks and names that a profile can show."""

from pathlib import Path

from harness.machine_checks.check import Check, available, limited, unavailable
from harness.machine_checks.events import allowed, refusal_remedy, why_not
from harness.machine_checks.machine import CheckedMachine
from stallscope.system_files import names_in, read_text

# Distributions with frame pointers in their packages, and the first such version.
KEEP_FRAME_POINTERS = {"fedora": (38,), "ubuntu": (24, 4), "arch": ()}
BUILD_REMEDY = "build your own code with -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer"


def check_callchains(machine: CheckedMachine) -> Check:
    """Return how deep call chains reach, and which code has frame pointers."""
    name = "callchains"
    chain = allowed(machine, "callchain", 2)
    if not chain.ok:
        detail = f"no call chains: {why_not(machine, chain)}"
        return unavailable(name, detail, refusal_remedy(machine, chain, 2))
    max_frames = machine.kernel.perf_event_max_stack
    depth = f"by frame pointers, up to {max_frames} frames" if max_frames else "by frame pointers"
    system = _os_release(machine)
    if _keeps_frame_pointers(system):
        return available(name, f"{depth}; {system['ID']} packages have them")
    if allowed(machine, "stack-copy", 2).ok:
        return available(
            name,
            f"{depth}; most packages of {system.get('ID', 'this system')} lack them: for such "
            "programs 8 KiB of stack are copied with each sample and unwound later, 8 MB/s per "
            "busy CPU at 999 Hz",
        )
    return limited(
        name,
        f"{depth}; most packages of {system.get('ID', 'this system')} lack them: their chains "
        "end early and are counted as truncated",
        BUILD_REMEDY,
    )


def _os_release(machine: CheckedMachine) -> dict[str, str]:
    text = None
    for name in ("etc/os-release", "usr/lib/os-release"):
        text = text or read_text(machine.roots.files / name, 16384)
    rows = [line.partition("=") for line in (text or "").splitlines()]
    return {name: value.strip("\"'") for name, separator, value in rows if separator}


def _keeps_frame_pointers(system: dict[str, str]) -> bool:
    since = KEEP_FRAME_POINTERS.get(system.get("ID", ""))
    if since is None:
        return False
    words = system.get("VERSION_ID", "").split(".")
    return tuple(int(word) for word in words if word.isdecimal()) >= since


def check_libc_debug(machine: CheckedMachine) -> Check:
    """Return whether the C library's debug file is installed, which has names and lines."""
    name = "libc-debug"
    folder = machine.roots.files / "usr" / "lib" / "debug" / ".build-id"
    missing = unavailable(
        name,
        "no debug file: internal functions of the C library stay unnamed (optional)",
        _debug_package(machine),
    )
    if not names_in(folder):
        return missing
    if not machine.roots.is_live:
        return limited(name, f"{folder.name} has debug files; not checked for libc's")
    build_id = _libc_build_id()
    if build_id and (folder / build_id[:2] / f"{build_id[2:]}.debug").exists():
        return available(name, "the C library's debug file is installed")
    return missing


def _debug_package(machine: CheckedMachine) -> str:
    identity = _os_release(machine)
    family = f"{identity.get('ID', '')} {identity.get('ID_LIKE', '')}"
    if "debian" in family:
        return machine.as_root("apt-get install libc6-dbg")
    if "fedora" in family or "rhel" in family:
        return machine.as_root("dnf debuginfo-install glibc")
    return "install the C library's debug package"


def _libc_build_id() -> str:
    """Return the hexadecimal build id of the C library of this process, or an empty text."""
    from stallscope.errors import StallscopeError  # noqa: PLC0415
    from stallscope.regular_file import open_regular  # noqa: PLC0415
    from topdown.stacks.elf.file import ElfFile  # noqa: PLC0415 - loads numpy, rarely needed

    maps = read_text(Path("/proc/self/maps")) or ""
    paths = {line.split(None, 5)[5] for line in maps.splitlines() if "/libc.so" in line}
    for path in paths:
        try:
            return ElfFile(open_regular(path)).build_id.hex()
        except (OSError, StallscopeError):
            continue
    return ""
