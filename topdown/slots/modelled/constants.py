"""Constants of the core model, from a data file that names the source of each."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from stallscope.documents import Record, read_document

FILE = Path(__file__).with_name("constants.json")


@dataclass(frozen=True, slots=True)
class Core:
    """The limits of a core; ``name`` is the CPU with specific values, empty for common ones."""

    name: str
    width: float  # slots per cycle
    window: int  # operations between dispatch and retirement
    queue: int  # operations between fetch and dispatch
    units: dict[str, int]
    latencies: dict[str, float]
    line_cycles: dict[str, float]  # of a prefetched line from "l2", "l3"
    code_line_l2_share: float  # relative to a line of code from a farther level
    code_line_cycles: float  # of the next line of code, if not measured
    code_miss_exposed: float
    decode_width: float
    fetch_bytes: float
    operations_kept: int
    targets_kept: int
    lost_target_cycles: float
    jump_cycles: float
    resolve_cycles: float  # from a branch's dispatch to its execution without waiting
    forward_cycles: float
    stack_forward_cycles: float  # relative to the stack or frame pointer
    vector_load_cycles: float
    fill_buffers: int
    store_buffer: int
    divider_busy_share: float
    fp_divider_busy_share: float
    prefetch_ahead_cycles: float
    repeat_bytes: float  # per cycle of a repeated string instruction
    load_cycles: tuple[float, float, float]  # of levels 2, 3 and 4, if not measured
    dram_line_cycles: float


@dataclass(frozen=True, slots=True)
class ProfileThresholds:
    """Thresholds for streams and for code in a loop."""

    prefetched_stride_bytes: float
    steady_share: float
    kept_as_often: float


class _Constant(Record, frozen=True):
    value: float


class _ConstantsRecord(Record, frozen=True, kw_only=True):
    core: dict[str, _Constant]
    units: dict[str, _Constant]
    latencies: dict[str, _Constant]
    line_cycles: dict[str, _Constant]
    profile_thresholds: dict[str, _Constant]
    uncertainty: dict[str, _Constant]
    cpus: dict[str, dict[str, Any]]  # specific values by CPU, and their source


@cache
def profile_thresholds() -> ProfileThresholds:
    """Return the thresholds for reading a profile."""
    return ProfileThresholds(**_numbers(_constants().profile_thresholds, {}))


@cache
def uncertainties() -> dict[str, float]:
    """Return the relative uncertainty of each cause, by its name in lower case."""
    return _numbers(_constants().uncertainty, {})


@cache
def _constants() -> _ConstantsRecord:
    return read_document(FILE, _ConstantsRecord)


def _numbers(common: dict[str, _Constant], specific: dict[str, Any]) -> dict[str, float]:
    values = {name: constant.value for name, constant in common.items()}
    return values | {name: float(value) for name, value in specific.items() if name in values}


def core_constants(cpu: str = "", *, width: int | None = None) -> Core:
    """Return the constants of a CPU model, or the common ones for an unknown CPU."""
    constants = _constants()
    specific = constants.cpus.get(cpu, {})
    numbers = _numbers(constants.core, specific)
    unit_counts = specific.get("units", {})
    assert isinstance(unit_counts, dict)
    units = _numbers(constants.units, unit_counts)
    integers = {name: int(numbers.pop(name)) for name in _INTEGERS}
    numbers["width"] = float(width) if width else numbers["width"]
    loads = tuple(numbers.pop(f"load_cycles_{level}") for level in ("l2", "l3", "dram"))
    return Core(
        load_cycles=(loads[0], loads[1], loads[2]),
        name=cpu if specific else "",
        units={name: int(count) for name, count in units.items()},
        latencies=_numbers(constants.latencies, specific),
        line_cycles=_numbers(constants.line_cycles, specific),
        **integers,
        **numbers,  # type: ignore[arg-type]
    )


_INTEGERS = ("window", "queue", "operations_kept", "targets_kept", "fill_buffers", "store_buffer")
