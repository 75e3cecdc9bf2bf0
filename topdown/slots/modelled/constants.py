"""The model's constants: what is documented of cores, and how each was found, in one data file."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from stallscope.json_fields import Fields, read_fields

FILE = Path(__file__).with_name("constants.json")


@dataclass(frozen=True, slots=True)
class Core:
    """A core by what bounds it; ``name`` is the CPU's whose own values are among them."""

    name: str
    width: float  # slots a cycle
    window: int  # operations between dispatch and retirement
    queue: int  # operations that fetch may run ahead of dispatch
    units: dict[str, int]
    latencies: dict[str, float]
    line_cycles: dict[str, float]  # a prefetched line from "l2", "l3"
    code_line_l2_share: float  # of what a line of code from further away takes
    code_line_cycles: float  # the next line of code from there, where it is not measured
    code_miss_exposed: float
    decode_width: float
    fetch_bytes: float
    operations_kept: int
    targets_kept: int
    lost_target_cycles: float
    jump_cycles: float
    resolve_cycles: float  # from a branch's dispatch to its execution, where it waits for nothing
    forward_cycles: float
    stack_forward_cycles: float  # the same of a place beside the stack or frame pointer
    vector_load_cycles: float
    fill_buffers: int
    store_buffer: int
    divider_busy_share: float
    fp_divider_busy_share: float
    prefetch_ahead_cycles: float
    repeat_bytes: float  # a cycle, of a repeated string instruction
    load_cycles: tuple[float, float, float]  # of levels 2, 3, 4, where they are not measured
    dram_line_cycles: float


@dataclass(frozen=True, slots=True)
class Evidence:
    """What counts as a stream, and as code of one round."""

    prefetched_stride_bytes: float
    steady_share: float
    kept_as_often: float


@cache
def evidence() -> Evidence:
    """Return the thresholds of what is read out of a profile."""
    return Evidence(**_numbers(_document().fields("evidence"), {}))


@cache
def unsure() -> dict[str, float]:
    """Return by how much of itself each cause gives way, by the cause's name in lower case."""
    return _numbers(_document().fields("unsure"), {})


@cache
def _document() -> Fields:
    return read_fields(FILE)


def _numbers(fields: Fields, own: dict[str, Any]) -> dict[str, float]:
    values = {name: float(str(fields.fields(name).values["value"])) for name in fields.values}
    return values | {name: float(value) for name, value in own.items() if name in values}


def core_constants(cpu: str = "", *, width: int | None = None) -> Core:
    """Return the constants of a CPU by the name of its model; the common ones of an unknown."""
    document = _document()
    own = dict(document.fields("cpus").fields(cpu).values)
    numbers = _numbers(document.fields("core"), own)
    parts = own.get("units", {})
    assert isinstance(parts, dict)
    units = _numbers(document.fields("units"), parts)
    whole = {name: int(numbers.pop(name)) for name in _WHOLE}
    numbers["width"] = float(width) if width else numbers["width"]
    loads = tuple(numbers.pop(f"load_cycles_{level}") for level in ("l2", "l3", "dram"))
    return Core(
        load_cycles=(loads[0], loads[1], loads[2]),
        name=cpu if own else "",
        units={name: int(count) for name, count in units.items()},
        latencies=_numbers(document.fields("latencies"), own),
        line_cycles=_numbers(document.fields("line_cycles"), own),
        **whole,
        **numbers,  # type: ignore[arg-type]
    )


_WHOLE = ("window", "queue", "operations_kept", "targets_kept", "fill_buffers", "store_buffer")
