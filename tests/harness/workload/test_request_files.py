"""Request files that need no server."""

from pathlib import Path

from harness.workload.request_files import SCAN_KEYS, scan_requests


def test_scans_read_all_keys_in_order(tmp_path: Path) -> None:
    keys = 2 * SCAN_KEYS + 3
    text = scan_requests(tmp_path / "requests", keys=keys).read_bytes()
    words = text.split(b"\r\n")
    names = [word for word in words if word.startswith(b"key:")]
    assert names == [b"key:%012d" % number for number in range(keys)]
    assert words.count(b"MGET") == 3
    assert [word for word in words if word.startswith(b"*")] == [b"*129", b"*129", b"*4"]
