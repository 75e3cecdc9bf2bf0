"""A boot of a guest: scenarios go in as shell scripts, their files come out as a tar.

With QEMU's `-icount shift=S` an instruction takes 2^S nanoseconds of the guest's time and 2^S cycles
of its PMU, independent of the host's load: counts are the same on every run. With `sleep=off` idle
time passes at once. The guest writes `@@ begin NAME` and `@@ end NAME STATUS` to its serial console,
and finally a tar of all output to the raw disk.

The guest's kernel does not lower the limit of samples per second, which would throttle recordings at
random, and does not randomize addresses, which would change the instruction count of libc's start.
"""

import os
import shlex
import signal
import subprocess
import tarfile
from dataclasses import dataclass
from pathlib import Path

from tests.pmu_guest.initramfs import build_initramfs, read_all
from tests.pmu_guest.packages import Packages, copy_files

# Has a PMU whose events libpfm4 knows by name, and signs no return addresses.
CPU = "neoverse-n1"
DISK_BYTES = 256 << 20
# Boot and all scenarios take about 20 s; the limit leaves room for a loaded machine.
BOOT_TIMEOUT_S = 400
# Guest time: a scenario that hangs is ended, and the others still run.
SCENARIO_TIMEOUT_S = 60

_INIT = """#!/bin/busybox sh
export PATH=/bin
/bin/busybox mkdir -p /proc /sys /dev /tmp
/bin/busybox --install -s /bin
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent; echo 0 >/proc/sys/kernel/randomize_va_space
exec >/dev/console 2>&1
for module in {modules}; do insmod /modules/$module; done
mkdir /results; dmesg >/results/boot.log
for name in {names}; do
  mkdir /results/$name; cd /results/$name
  echo "@@ begin $name"
  timeout -s KILL {timeout} sh /scenarios/$name >stdout 2>stderr </dev/null
  status=$?
  echo $status >status
  echo "@@ end $name $status"
done
tar -cf /dev/vda -C / results; sync
poweroff -f
"""


class GuestError(Exception):
    """The guest did not finish; the text contains the end of its console output."""


@dataclass(frozen=True, slots=True)
class Emulator:
    """How QEMU emulates an architecture."""

    program: str
    machine: str
    disk: str  # type of device
    console: str  # the kernel's name of the serial port


_EMULATORS = {
    "arm64": Emulator("qemu-system-aarch64", "virt", "virtio-blk-device", "ttyAMA0"),
    "amd64": Emulator("qemu-system-x86_64", "pc", "virtio-blk-pci", "ttyS0"),
}


@dataclass(frozen=True, slots=True)
class Machine:
    """The machine that QEMU emulates.

    ``shift``: of icount; None: time passes as on this host, and counts differ between runs.
    """

    cpu: str = CPU
    shift: int | None = 0
    cpus: int = 1
    memory_mib: int = 512


@dataclass(frozen=True, slots=True)
class Result:
    """The output of a scenario, in a directory of the host."""

    path: Path

    @property
    def status(self) -> int:
        """The exit status of the script."""
        return int((self.path / "status").read_text())

    @property
    def stdout(self) -> str:
        """The standard output of the script."""
        return (self.path / "stdout").read_text()

    @property
    def stderr(self) -> str:
        """The messages of the script."""
        return (self.path / "stderr").read_text()

    @property
    def run(self) -> Path:
        """The recording, named ``run`` in every scenario."""
        return self.path / "run"


def boot(
    built_of: Packages,
    programs: dict[str, Path],
    scenarios: dict[str, str],
    folder: Path,
    machine: Machine = Machine(),
) -> dict[str, Result]:
    """Return the results of all scenarios after a boot. ``programs`` are files by path in the guest.

    Raises GuestError if the guest hangs, panics or exceeds the time limit.
    """
    initrd, disk, console = folder / "initrd", folder / "disk", folder / "console.log"
    initrd.write_bytes(_archive(built_of, programs, scenarios))
    with disk.open("wb") as image:
        image.truncate(DISK_BYTES)
    words = ["-cpu", machine.cpu, "-smp", str(machine.cpus), "-m", str(machine.memory_mib)]
    if machine.shift is not None:
        words += ["-icount", f"shift={machine.shift},sleep=off"]
    _run_to_its_end([*_command(built_of, initrd, disk, console), *words], console)
    lines = console.read_text(errors="replace").splitlines()
    unfinished = [
        name for name in scenarios if not any(f"@@ end {name} " in line for line in lines)
    ]
    if unfinished:
        raise GuestError(f"no end of {unfinished}; the console's last lines:\n{_tail(console)}")
    with tarfile.open(disk) as archive:
        copy_files(archive, _inside, folder)
    return {name: Result(folder / "results" / name) for name in scenarios}


def _archive(built_of: Packages, programs: dict[str, Path], scenarios: dict[str, str]) -> bytes:
    files = read_all({"/bin/busybox": built_of.busybox, **programs})
    files |= read_all({f"/modules/{path.name}": path for path in built_of.modules})
    files |= {f"/scenarios/{name}": script.encode() for name, script in scenarios.items()}
    files["/init"] = _INIT.format(
        modules=" ".join(path.name for path in built_of.modules),
        names=" ".join(shlex.quote(name) for name in scenarios),
        timeout=SCENARIO_TIMEOUT_S,
    ).encode()
    return build_initramfs(files)


def _command(built_of: Packages, initrd: Path, disk: Path, console: Path) -> list[str]:
    """Return the command line of QEMU; `timeout` ends QEMU even if this process is killed."""
    emulator = _EMULATORS[built_of.architecture]
    words = f"""timeout --kill-after=1 {BOOT_TIMEOUT_S + 10} {emulator.program}
        -machine {emulator.machine} -nodefaults -display none -monitor none -no-reboot
        -device {emulator.disk},drive=disk""".split()
    return [
        *words,
        *("-serial", f"file:{_escaped(console)}"),
        *("-drive", f"file={_escaped(disk)},if=none,format=raw,id=disk"),
        *("-kernel", str(built_of.kernel), "-initrd", str(initrd)),
        *("-append", f"console={emulator.console} quiet panic=-1"),
    ]


def _escaped(path: Path) -> str:
    """Return a path escaped for QEMU's option lists."""
    return str(path).replace(",", ",,")


def _run_to_its_end(command: list[str], console: Path) -> None:
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            _, message = process.communicate(timeout=BOOT_TIMEOUT_S)
        except subprocess.TimeoutExpired as error:
            raise GuestError(f"not done in {BOOT_TIMEOUT_S} s:\n{_tail(console)}") from error
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
    if process.returncode != 0:
        raise GuestError(f"QEMU ended with {process.returncode}: {message}\n{_tail(console)}")


def _tail(console: Path) -> str:
    if not console.exists():
        return "(nothing)"
    return "\n".join(console.read_text(errors="replace").splitlines()[-25:])


def _inside(name: str) -> str | None:
    """Return the path of an archive member if it is within the folder."""
    path = Path(name)
    return None if path.is_absolute() or ".." in path.parts else str(path)
