"""Request files that need no server."""

from pathlib import Path

from harness.workload.request_files import SCAN_KEYS, scan_requests


def test_scans_read_all_keys_in_order(tmp_path: Path) -> None:
    keys = 2 * SCAN_KEYS + 3
    text = scan_requests(tmp_path / "requests", keys=keys).read_bytes()
    words = text.split(b"\r\n")
    names = [int(word[4:]) for word in words if word.startswith(b"key:")]
    assert names == [0, 127, 128, 255, 256, keys - 1]
    assert words.count(b"RANGE") == words.count(b"*4") == 3
