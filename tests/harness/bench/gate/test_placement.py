"""Placement: covered by equal files or several builds only."""

from pathlib import Path

from harness.bench.gate.placement import placement_of


def test_placement_is_covered_by_equal_files_or_builds(tmp_path: Path) -> None:
    first, second, other = (tmp_path / name for name in ("a", "b", "c"))
    first.write_bytes(b"program")
    second.write_bytes(b"program")
    other.write_bytes(b"progrbm")
    assert placement_of(first, second, 1).covered
    assert placement_of(first, other, 6).covered
    different = placement_of(first, other, 1)
    assert not different.covered
    assert "not covered" in different.text
    assert not placement_of(first, tmp_path / "missing", 1).covered
