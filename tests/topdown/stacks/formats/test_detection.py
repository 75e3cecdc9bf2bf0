"""The format of a file by its content."""

import gzip
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.profile_builder import ProfileBuilder
from tests.topdown.stacks.formats.tables_strategy import stack_tables
from topdown.stacks.formats.detection import FileFormat, detect
from topdown.stacks.formats.firefox import encode_firefox
from topdown.stacks.formats.otlp import encode_otlp
from topdown.stacks.formats.pprof import encode_pprof
from topdown.stacks.formats.speedscope import encode_speedscope
from topdown.stacks.formats.stack_tables import StackTables

PROFILE = ProfileBuilder().build([(["main"], 1)])


@pytest.mark.parametrize(
    ("head", "file_format"),
    [
        (b"cmd 1/2 [000] 1.0: 3 cycles:\n\t1 f (/x)\n\n", FileFormat.PERF_SCRIPT),
        (b"# ========\ncmd 12 1.0: cpu-clock:\n\t1 f (/x)\n", FileFormat.PERF_SCRIPT),
        (b"srv;main;work 12\n", FileFormat.FOLDED),
        (b"java;Foo<A,B,C,D,E>::f 3\n", FileFormat.FOLDED),
        (b"123,,instructions,1000,100.00,,\n", FileFormat.PERF_STAT),
        (b"     1.000123,<not supported>,,cycles,0,0.00,,\n", FileFormat.PERF_STAT),
        (b'{"counter-value" : "1.0", "event" : "x"}\n', FileFormat.PERF_STAT),
        (b"goos: linux\nBenchmarkX 1 2 ns/op\n", FileFormat.BENCHMARK),
        (b"#[StartTime: 1 (seconds since epoch)]\n", FileFormat.HISTOGRAM_LOG),
        (b'{\n  "fio version" : "fio-3.33",\n', FileFormat.FIO),
        (encode_speedscope(PROFILE, "x"), FileFormat.SPEEDSCOPE),
        (encode_firefox(PROFILE, "x"), FileFormat.FIREFOX),
        (b"PERFILE2\x68\0\0\0\0\0\0\0", None),
        (b"", None),
        (b"hello world\n", None),
        (b"# HELP up 1 if up.\n# TYPE up gauge\nup 1\n", None),
        (b"\x7fELF\x02\x01\x01\0\0\0\0\0", None),
    ],
)
def test_formats_are_detected(head: bytes, file_format: FileFormat | None) -> None:
    assert detect(head) == file_format


@given(stack_tables())
def test_messages_of_pprof_and_otlp_are_distinguished(tables: StackTables) -> None:
    assert detect(gzip.decompress(encode_pprof(tables))) == FileFormat.PPROF
    assert detect(encode_otlp(tables)) == FileFormat.OTLP


@given(st.binary(max_size=200))
def test_any_bytes_are_accepted(head: bytes) -> None:
    detect(head)


@pytest.mark.parametrize("line", [b"a " + b"1 " * 32_000, b"a" + b" " * 64_000])
def test_a_long_line_of_numbers_or_blanks_takes_no_time_by_its_square(line: bytes) -> None:
    begin_s = time.process_time()
    assert detect(line) is None
    assert time.process_time() - begin_s < 2  # a search by the square of the length takes 9 s
