"""Simulations by a program that stands in for callgrind."""

import os
from pathlib import Path

import pytest

from stallscope.errors import RecordingError, TargetError
from stallscope.system_files import Roots
from tests.topdown.slots.modelled.scripts import script
from topdown.slots.modelled.cache_options import read_caches
from topdown.slots.modelled.callgrind_file import EVENTS, IR
from topdown.slots.modelled.native_run import CommandInput
from topdown.slots.modelled.simulation import Simulator


def simulator() -> Simulator:
    return Simulator(read_caches(Roots(sys=Path("/nowhere"))), timeout_s=20)


def fake_valgrind(monkeypatch: pytest.MonkeyPatch, folder: Path, body: str) -> None:
    """A valgrind of this body; $log and $out are its output files."""
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
