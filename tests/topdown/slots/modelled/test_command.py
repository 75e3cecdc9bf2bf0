"""What the model needs, and how it says that it has not got it."""

import os
import shutil
from pathlib import Path

import pytest

from stallscope.errors import RecordingError, TargetError, UnableError, UsageError
from stallscope.system_files import Roots
from topdown.slots.modelled import measure_command
from topdown.slots.modelled.cache_options import read_caches
from topdown.slots.modelled.callgrind_file import EVENTS, IR
from topdown.slots.modelled.command import Machine
from topdown.slots.modelled.disassembly import MAX_RANGES, _ranges, disassemble
from topdown.slots.modelled.host_times import KernelTimes
from topdown.slots.modelled.native_run import CommandInput
from topdown.slots.modelled.simulation import Simulator

KERNEL = """#!/bin/sh
echo '{"cpu_ns": 16000000, "iterations": 2000000}'
"""


def script(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    path.chmod(0o755)
    return path


def test_a_command_is_needed() -> None:
    with pytest.raises(UsageError, match="needs a command"):
        measure_command(())


def test_missing_valgrind_names_its_package(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UnableError, match="valgrind") as error:
        measure_command(("true",))
    assert "install the package valgrind" in error.value.remedy
    assert error.value.exit_code == 3


def test_missing_objdump_names_its_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UnableError, match="objdump") as error:
        disassemble(["/bin/true"], {0x1000: 1})
    assert "binutils" in error.value.remedy


def test_other_architectures_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    script(tmp_path, "valgrind", "#!/bin/sh\nexit 1\n")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc" / "cpuinfo").write_text("CPU implementer : 0x41\nCPU part : 0xd0c\n")
    with pytest.raises(UnableError, match="x86-64"):
        measure_command(("true",), machine=Machine(Roots.recorded(tmp_path)))


def simulator() -> Simulator:
    return Simulator(read_caches(Roots(sys=Path("/nowhere"))), timeout_s=20)


def fake_valgrind(monkeypatch: pytest.MonkeyPatch, folder: Path, body: str) -> None:
    """A valgrind of this body; $log and $out are the files that it was told to write."""
    script(
        folder,
        "valgrind",
        "#!/bin/sh\n"
        "for word; do case $word in --log-file=*) log=${word#*=};; --callgrind-out-file=*) "
        "out=${word#*=};; esac; done\n"
        'log=$(echo "$log" | sed "s/%p/$$/"); out=$(echo "$out" | sed "s/%p/$$/")\n' + body,
    )
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


def test_a_failure_under_valgrind_contains_its_message(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fake_valgrind(
        monkeypatch, tmp_path, 'printf "==1== no \\033[31msuch thing\\n" >"$log"; exit 132\n'
    )
    caches = simulator()
    with pytest.raises(
        TargetError, match="runs natively, but under valgrind it returned status 132"
    ) as error:
        caches.run(("./work",), CommandInput(None), last=caches.caches.l2)
    assert "such thing" in error.value.message
    assert "\x1b" not in error.value.message


def test_invalid_output_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fake_valgrind(monkeypatch, tmp_path, 'echo "gotcha" >"$out"\n')
    caches = simulator()
    with pytest.raises(RecordingError, match="line 1 is invalid"):
        caches.run(("./work",), CommandInput(None), last=caches.caches.l2)


def test_outputs_of_threads_add_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    text = f"positions: instr line\nevents: {' '.join(EVENTS)}\nob=/bin/x\nfn=f\n0x10 0 7\n"
    (tmp_path / "part").write_text(text)
    part = tmp_path / "part"
    fake_valgrind(monkeypatch, tmp_path, f': >"$out"; cp {part} "$out-01"; cp {part} "$out-02"\n')
    caches = simulator()
    profile, _ = caches.run(("./work",), CommandInput(None), last=caches.caches.l2)
    assert profile.total(IR) == 14
    assert profile.threads == 2


def test_a_link_in_the_place_of_output_is_not_followed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("events: Ir\n")
    fake_valgrind(monkeypatch, tmp_path, f'ln -s {secret} "$out"\n')
    caches = simulator()
    with pytest.raises(RecordingError, match="symbolic links"):
        caches.run(("./work",), CommandInput(None), last=caches.caches.l2)


def test_the_frequency_is_that_of_dependent_additions(tmp_path: Path) -> None:
    times = KernelTimes(script(tmp_path, "stallscope-kernels", KERNEL))
    assert times.frequency_hz() == pytest.approx(30 * 2_000_000 / 0.016)


@pytest.mark.parametrize(
    "text", ["#!/bin/sh\nexit 3\n", "#!/bin/sh\necho gotcha\n", "#!/bin/sh\necho '{}'\n"]
)
def test_failing_kernels_are_reported(tmp_path: Path, text: str) -> None:
    times = KernelTimes(script(tmp_path, "stallscope-kernels", text))
    with pytest.raises(UnableError, match="the host's times cannot be measured"):
        times.frequency_hz()


def test_untrusted_files_give_no_instructions(tmp_path: Path) -> None:
    binary = tmp_path / "binary"
    binary.write_bytes(b"\x7fELF" + bytes(100))
    assert (
        disassemble(["???", str(binary), "relative", "/nowhere"], dict.fromkeys(range(4), 1)) == {}
    )


@pytest.mark.skipif(shutil.which("objdump") is None, reason="needs the program objdump")
def test_hot_code_is_read_from_its_binary() -> None:
    binary = str(Path("/bin/sh").resolve())
    entry = int.from_bytes(Path(binary).read_bytes()[24:32], "little")
    lines = disassemble([binary], {entry: 10})
    assert entry in lines
    assert 0 < lines[entry].following - entry <= 15


def test_code_far_apart_is_read_in_few_pieces_and_not_beyond_a_size() -> None:
    many = dict.fromkeys(range(0, 2**40, 2**30), 1)
    assert len(_ranges(many)) == MAX_RANGES
    assert _ranges(dict.fromkeys(range(0, 2**30, 2**15), 1)) == []  # one piece of a gigabyte
    few = {0x1000: 1, 0x1004: 1, 0x900000: 50, 0xF0000000: 2}
    assert _ranges(few) == [(0x900000, 0x90000F), (0xF0000000, 0xF000000F), (0x1000, 0x1013)]
