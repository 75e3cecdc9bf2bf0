"""The files with the debug information of an object, and the file that dwz shares among packages."""

import os
import shutil
from contextlib import ExitStack
from pathlib import Path

import pytest

from stallscope.regular_file import open_regular
from topdown.stacks.elf.file import ElfFile
from topdown.stacks.symbols.debug_files import find_debug_files, find_supplementary
from topdown.stacks.symbols.sources import SymbolSources

NO_DIRECTORIES = SymbolSources(debug_directories=())


def with_link(programs, folder: Path, made, path: bytes, build_id: bytes) -> Path:
    """A debug file whose .gnu_debugaltlink has this path and build id."""
    link, file = folder / "link", folder / "linked.debug"
    link.write_bytes(path + b"\0" + build_id)
    add = f"--add-section=.gnu_debugaltlink={link}"
    made.run("objcopy", add, programs.debug, file)
    return file


def supplementary_of(file: Path, sources: SymbolSources) -> str | None:
    with ExitStack() as files:
        debug = ElfFile(files.enter_context(open_regular(file)))
        shared = find_supplementary(debug, sources, files, [b"/"])
        return None if shared is None else shared[1].name


def test_the_file_with_debug_information_is_the_object_or_its_debug_file(programs, made) -> None:
    with ExitStack() as files:
        mapped = made.Object(os.fsencode(programs.full), programs.build_id)
        full = find_debug_files(mapped, NO_DIRECTORIES, files)
        assert full is not None
        assert full.debug is full.main
        assert full.supplementary is None
        linked = made.Object(os.fsencode(programs.linked), programs.build_id)
        separate = find_debug_files(linked, NO_DIRECTORIES, files)
        assert separate is not None
        assert separate.debug is not separate.main
        assert separate.debug.section(b".debug_info") is not None
        stripped = made.Object(os.fsencode(programs.stripped), programs.build_id)
        assert find_debug_files(stripped, NO_DIRECTORIES, files) is None


@pytest.mark.parametrize("relative", [False, True])
def test_the_shared_file_is_at_the_path_of_the_link(programs, tmp_path, made, relative) -> None:
    shared = tmp_path / "shared.debug"
    shutil.copy(programs.debug, shared)
    path = shared.name.encode() if relative else os.fsencode(shared)
    file = with_link(programs, tmp_path, made, path, programs.build_id)
    assert supplementary_of(file, NO_DIRECTORIES) == str(shared)


@pytest.mark.parametrize("place", [".build-id", ".dwz/x86_64"])
def test_the_shared_file_is_found_in_a_debug_directory(programs, tmp_path, made, place) -> None:
    name = programs.build_id.hex()
    shared = tmp_path / "debug" / place
    shared /= f"{name[:2]}/{name[2:]}.debug" if place == ".build-id" else "shared.debug"
    shared.parent.mkdir(parents=True)
    shutil.copy(programs.debug, shared)
    link = b"/usr/lib/debug/.dwz/x86_64/shared.debug"
    file = with_link(programs, tmp_path, made, link, programs.build_id)
    sources = SymbolSources(debug_directories=(os.fsencode(tmp_path / "debug"),))
    assert supplementary_of(file, sources) is not None
    assert supplementary_of(file, NO_DIRECTORIES) is None


def test_a_shared_file_with_another_build_id_is_ignored(programs, tmp_path, made) -> None:
    shared = tmp_path / "shared.debug"
    shutil.copy(programs.debug, shared)
    file = with_link(programs, tmp_path, made, os.fsencode(shared), b"other")
    assert supplementary_of(file, NO_DIRECTORIES) is None
    assert supplementary_of(programs.debug, NO_DIRECTORIES) is None
