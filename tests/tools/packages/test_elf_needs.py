"""What wheels need of a system."""

import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from tools.packages.elf_needs import (
    ElfNeeds,
    glibc_floor,
    needs_of,
    needs_text,
    problems,
    systems_with,
    tag_problems,
    wheel_needs,
)

MODULE = ElfNeeds(
    "stallscope/_native.so", "EM_X86_64", ("libc.so.6", "libstdc++.so.6"), None, (2, 34), (3, 4, 29)
)
PROGRAM = ElfNeeds("stallscope/programs/stallscope-collect", "EM_X86_64", (), None, None, None)


def test_the_needs_of_a_compiled_file_are_read(tmp_path: Path) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("needs the program gcc: it is not installed")
    source = tmp_path / "prog.c"
    source.write_text('#include <stdio.h>\nint main(void) { return puts("x") < 0; }\n')
    for name, flags in (("dynamic", []), ("static", ["-static"])):
        subprocess.run(["gcc", *flags, source, "-o", tmp_path / name], check=True)
    dynamic, static = (
        needs_of(name, (tmp_path / name).read_bytes()) for name in ("dynamic", "static")
    )
    assert dynamic.libraries == ("libc.so.6",)
    assert dynamic.loader is not None
    assert dynamic.glibc is not None
    assert dynamic.glibc >= (2, 2)
    assert (static.libraries, static.loader, static.glibc) == ((), None, None)


def test_a_file_that_is_not_elf_is_rejected() -> None:
    with pytest.raises(ValueError, match="x is no ELF file"):
        needs_of("x", b"#!/bin/sh\n")


def test_only_elf_members_of_a_wheel_are_read(tmp_path: Path) -> None:
    wheel = tmp_path / "x.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("empty.py", b"")
        archive.writestr("module.py", b"import os\n")
    assert wheel_needs(wheel) == []


def test_a_good_wheel_has_no_problems() -> None:
    library = ElfNeeds(
        "stallscope.libs/libzstd-1a.so.1", "EM_X86_64", ("libc.so.6",), None, (2, 34), None
    )
    reader = ElfNeeds("stallscope/reader.so", "EM_X86_64", ("libzstd-1a.so.1",), None, None, None)
    wheel = [MODULE, PROGRAM, library, reader]
    assert problems(wheel, machine="EM_X86_64", glibc=(2, 34)) == []


@pytest.mark.parametrize(
    ("needs", "says"),
    [
        (ElfNeeds("a", "EM_AARCH64", (), None, None, None), "built for EM_AARCH64"),
        (ElfNeeds("a", "EM_X86_64", ("libssl.so.3",), None, None, None), "needs libssl.so.3"),
        (ElfNeeds("a", "EM_X86_64", (), None, (2, 38), None), "needs glibc 2.38, above 2.34"),
        (ElfNeeds("a", "EM_X86_64", (), None, None, (3, 4, 30)), "needs GLIBCXX_3.4.30"),
        (
            ElfNeeds("stallscope/programs/x", "EM_X86_64", ("libc.so.6",), "/lib/ld", None, None),
            "not static",
        ),
    ],
)
def test_each_unmet_need_is_named(needs: ElfNeeds, says: str) -> None:
    (problem,) = problems([needs], machine="EM_X86_64", glibc=(2, 34))
    assert says in problem


def test_systems_are_sorted_by_their_c_library() -> None:
    assert glibc_floor([MODULE, PROGRAM]) == (2, 34)
    enough, too_old = systems_with((2, 34))
    assert {"Debian 12", "Debian 13", "RHEL 9"} <= set(enough)
    assert {"Ubuntu 20.04", "RHEL 8"} == set(too_old) - {"Debian 11"}
    assert systems_with(None)[1] == []


def test_a_wheel_is_compared_with_its_tag(tmp_path: Path, checkout: Path) -> None:
    wheel = tmp_path / "x-1-cp311-cp311-manylinux_2_34_x86_64.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.write(checkout / "stallscope/programs/stallscope-wake", "stallscope/programs/wake")
    assert tag_problems(wheel) == []
    assert needs_text(wheel)[1] == "  too old: none"
    other = wheel.rename(tmp_path / wheel.name.replace("x86_64", "aarch64"))
    assert tag_problems(other) == ["stallscope/programs/wake: built for EM_X86_64, not EM_AARCH64"]
    without = other.rename(tmp_path / "x-1-cp311-cp311-linux_x86_64.whl")
    assert "no tag manylinux" in tag_problems(without)[0]
