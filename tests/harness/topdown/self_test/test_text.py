"""The text of a self-test."""

import click
from msgspec import structs

from harness.topdown.self_test.text import lines
from tests.harness.topdown.self_test.test_session import RESULT
from topdown.slots.self_test.result import EventResult


def text(width: int = 100, **changes: object) -> list[str]:
    return [click.unstyle(line) for line in lines(structs.replace(RESULT, **changes), width)]


def test_only_broken_events_are_listed() -> None:
    written = text()
    assert written[0] == "Skylake, client: 1 works, 1 broken"
    assert sum("UOPS_ISSUED.ANY" in line for line in written) == 1
    assert not any("INST_RETIRED.ANY" in line for line in written)


def test_a_program_without_a_bottleneck_is_named() -> None:
    program = structs.replace(RESULT.kernels[0], bottleneck=None)
    assert text(kernels=(program,))[-1].endswith("measured none")


def test_reasons_are_wrapped() -> None:
    broken = {"EVENT": EventResult(verdict="broken", reason="counts 0 in " + "program " * 30)}
    assert max(map(len, text(60, events=broken, kernels=()))) <= 60
