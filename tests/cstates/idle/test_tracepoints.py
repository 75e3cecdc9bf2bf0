"""From format files and raw pages with known events to known intervals."""

from pathlib import Path

import pytest

from cstates.idle.tracepoints import find_tracepoints, tick_function
from stallscope.errors import UnableError
from stallscope.tracing.event_format import read_event_format
from tests.cstates.idle.trace_pages import (
    events_folder,
)


def test_a_kernel_without_cpu_idle_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(UnableError, match="cpu_idle"):
        find_tracepoints(tmp_path)


def test_a_record_without_the_field_is_rejected(tmp_path: Path) -> None:
    result = read_event_format(events_folder(tmp_path), "power/cpu_idle")
    assert result is not None
    assert result.reader("state", "cpu_id").unpack_from(bytes(8) + b"\1\0\0\0\2\0\0\0") == (1, 2)
    with pytest.raises(UnableError, match="has no field cpu"):
        result.reader("cpu")


def test_the_ticks_function_is_found_unless_addresses_are_hidden(tmp_path: Path) -> None:
    symbols = tmp_path / "kallsyms"
    symbols.write_text("ffff0010 t other\nffff0020 t tick_nohz_handler\nffff0030 T end\n")
    assert tick_function(symbols) == 0xFFFF0020
    symbols.write_text("0000000000000000 t tick_nohz_handler\n0 T end\n")
    assert tick_function(symbols) is None
