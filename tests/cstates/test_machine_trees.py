"""Stored machine trees match their descriptions."""

from pathlib import Path

import pytest

from tests.cstates.machine_descriptions import DESCRIPTIONS, Description, files_of
from tests.cstates.machine_trees import MACHINES, MARK, expand, names, text_of


@pytest.mark.parametrize("description", DESCRIPTIONS, ids=lambda item: item.name)
def test_stored_files_match_their_descriptions(description: Description) -> None:
    kept = (MACHINES / f"{description.name}.txt").read_text()
    assert kept == text_of(description.note, files_of(description)), (
        "run: python -m tests.cstates.machine_trees"
    )
    assert kept.startswith(MARK)


def test_every_stored_file_has_a_description() -> None:
    assert set(names()) == {description.name for description in DESCRIPTIONS}


def test_trees_have_files_links_and_bytes(tmp_path: Path) -> None:
    tree = expand("ice-lake-server", tmp_path)
    assert (tree / "sys/devices/system/cpu/online").read_text() == "0-3\n"
    assert (tree / "proc/812/fd/7").is_symlink()
    assert (tree / "dev/cpu_dma_latency").read_bytes() == (100).to_bytes(4, "little")
