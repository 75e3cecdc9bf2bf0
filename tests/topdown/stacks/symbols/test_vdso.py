"""Tests of `topdown/stacks/symbols/vdso.py`: the image that has no file."""

from dataclasses import replace
from pathlib import Path

from msgspec import structs

from tests.topdown.stacks.unwinding.mapped import messages
from topdown.stacks.symbols.vdso import copy_vdso
from topdown.stacks.unwinding.tables import UnwindTables


def test_the_vdso_comes_from_the_recording_or_this_boot(sources, tmp_path: Path, made) -> None:
    vdso = made.Object(b"[vdso]")
    elsewhere = UnwindTables(sources)
    assert elsewhere(vdso) is None
    assert "[vdso]" in messages(elsewhere)[0]
    boot_id = Path("/proc/sys/kernel/random/boot_id").read_text()
    live = UnwindTables(structs.replace(sources, boot_id=boot_id))(vdso)
    copy_vdso(tmp_path)
    kept = UnwindTables(structs.replace(sources, recording=tmp_path))(vdso)
    assert live is not None
    assert kept is not None
    assert live.rows > 0
    assert live.to_bytes() == kept.to_bytes()
    size = (tmp_path / "binaries/vdso").stat().st_size
    there = UnwindTables(structs.replace(sources, recording=tmp_path))
    assert there(replace(vdso, length=size)) is not None
    assert there(replace(vdso, length=size + 4096)) is None
