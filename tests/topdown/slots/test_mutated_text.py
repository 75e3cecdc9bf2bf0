"""Damaged counts, simulator output and disassembly: read, or refused with one error."""

import contextlib
import io
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.cli.command_line import group
from stallscope.errors import StallscopeError
from tests.long_tests import long_tests
from tests.mutations import garbled, mutated_json
from topdown.slots.modelled.callgrind_file import EVENTS, read_profile
from topdown.slots.modelled.disassembly import instruction_lines

EXAMPLES = long_tests(short=20, long=2000)
VECTORS = Path(__file__).parent / "vectors"
CSV = b"""# started on Mon Nov 23 2026

     1.000104,CPU0,5,,cycles,9,100.00,,
     1.000104,CPU1,6,,instructions,9,40.00,1.20,insn per cycle
     2.000301,CPU0,<not counted>,,cycles,0,0.00,,
     2.000301,CPU0,2500,ns,duration_time,9,50.00,,
"""
JSON_LINES = b"""{"interval" : 1.000304, "counter-value" : "123.000000", "unit" : "", "event" : "cycles", \
"event-runtime" : 1000, "pcnt-running" : 50.00, "metric-value" : 1.2, "metric-unit" : "GHz"}
{"interval" : 1.000304, "counter-value" : "7", "event" : "instructions", "pcnt-running" : 100}
"""
CALLGRIND = b"""version: 1
positions: instr line
events: EVENTS
ob=(1) /bin/program
fl=(1) program.c
fn=(1) work
0x1000 3 100 50 0 1 25
0x1004 3 100 0 0 0 0 0 0 0 0 100 7
jcnd=60/100 0x1000 3
0x1004 3
cob=(2) /lib/library.so
cfn=(2) help
calls=40 0x2000 9
0x1006 4 400 80
totals: 283
""".replace(b"EVENTS", " ".join(EVENTS).encode())
OBJDUMP = b"""
/bin/program:     file format elf64-x86-64

0000000000001000 <work>:
    1000:\tmov    eax,DWORD PTR [rdi+rcx*8+0x10]
    1003:\tlock xadd DWORD PTR [rip+0x2eb5],eax        # 3ec0 <total>
    100b:\tvfmadd231ps zmm1{k1}{z},zmm2,ZMMWORD PTR [rsp+0x40]
    1012:\tjne    1000 <work>
    1014:\trep stos QWORD PTR es:[rdi],rax
    1017:\tret
"""
pytestmark = pytest.mark.long
damage = settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))


def replay(path: Path, *words: str) -> None:
    """Print the trees of a file; any other error than a StallscopeError propagates."""
    command = ["topdown", "--source", f"replay:{path}", *words]
    with contextlib.redirect_stdout(io.StringIO()) as output, contextlib.suppress(StallscopeError):
        group.main(command, standalone_mode=False)
    if "--json" in words and output.getvalue().endswith("]\n"):
        json.loads(output.getvalue(), parse_constant=lambda _: pytest.fail("not JSON"))


forms = st.sampled_from(((), ("--json",), ("--csv",)))


@damage
@given(content=st.sampled_from((CSV, JSON_LINES)).flatmap(garbled), form=forms)
def test_damaged_output_of_perf_stat(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, form: tuple[str, ...]
) -> None:
    path = tmp_path_factory.getbasetemp() / "stat"
    path.write_bytes(content)
    replay(path, "--cpu", "skl", *form)


@damage
@given(data=st.data(), form=forms)
def test_damaged_counts_in_json(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, form: tuple[str, ...]
) -> None:
    path = tmp_path_factory.getbasetemp() / "counts.json"
    vector = data.draw(st.sampled_from(("skl", "spr", "zen4", "neoverse-n1")))
    document = json.loads((VECTORS / f"{vector}.json").read_text())
    path.write_bytes(data.draw(mutated_json(document[:2])))
    replay(path, *form)


@pytest.mark.parametrize("percent", ["9" * 400, "-1", "1e300"])
def test_a_share_of_time_that_is_none_is_refused(tmp_path: Path, percent: str) -> None:
    path = tmp_path / "stat"
    path.write_text(JSON_LINES.decode().replace("50.00", percent))
    replay(path, "--cpu", "skl")


@damage
@given(content=garbled(CALLGRIND))
def test_damaged_output_of_callgrind(content: bytes) -> None:
    with contextlib.suppress(StallscopeError):
        read_profile(io.StringIO(content.decode("utf-8", "replace")), "callgrind.out.1")


@damage
@given(content=garbled(OBJDUMP))
def test_damaged_output_of_objdump(content: bytes) -> None:
    for _, line in instruction_lines(content.decode("ascii", "replace"), 0):
        assert line.instruction is not None
