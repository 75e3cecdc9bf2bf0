"""The layout of tracepoint records."""

from pathlib import Path

import pytest

from stallscope.errors import UnableError
from stallscope.tracing.event_format import EventFormat, read_event_format

FORMAT = """name: cpu_idle
ID: 412
format:
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;

\tfield:u32 state;\toffset:8;\tsize:4;\tsigned:0;
\tfield:u32 cpu_id;\toffset:12;\tsize:4;\tsigned:0;
\tfield:char prev_comm[16];\toffset:16;\tsize:16;\tsigned:0;
"""


@pytest.fixture
def event_format(tmp_path: Path) -> EventFormat:
    (tmp_path / "power" / "cpu_idle").mkdir(parents=True)
    (tmp_path / "power" / "cpu_idle" / "format").write_text(FORMAT)
    result = read_event_format(tmp_path, "power/cpu_idle")
    assert result is not None
    return result


def test_fields_are_unpacked_at_their_offsets(event_format: EventFormat) -> None:
    record = (
        b"\x9c\x01\0\0" + (7).to_bytes(4, "little") + (2).to_bytes(4, "little")
        + (5).to_bytes(4, "little") + b"redis".ljust(16, b"\0")
    )  # fmt: skip
    assert event_format.number == 412
    assert event_format.reader("common_pid", "cpu_id").unpack_from(record) == (7, 5)
    (name,) = event_format.reader("prev_comm").unpack_from(record)
    assert name.rstrip(b"\0") == b"redis"


@pytest.mark.parametrize("names", [("missing",), ("cpu_id", "state")])
def test_missing_fields_and_a_wrong_order_are_rejected(
    event_format: EventFormat, names: tuple[str, ...]
) -> None:
    with pytest.raises(UnableError, match="power/cpu_idle"):
        event_format.reader(*names)


def test_a_kernel_without_the_tracepoint_has_no_format(tmp_path: Path) -> None:
    assert read_event_format(tmp_path, "power/cpu_idle") is None
