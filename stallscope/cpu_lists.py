"""CPU lists in the kernel's notation, such as "0-3,8"."""

import re
from collections.abc import Iterable

from stallscope.errors import UsageError
from stallscope.system_files import MAX_CPUS

_PART = re.compile(r"([0-9]{1,7})(?:-([0-9]{1,7}))?")


def parse_cpu_list(text: str, option: str = "--cpus") -> tuple[int, ...]:
    """Return the CPUs of a list, sorted and unique; UsageError as for expand_cpu_list()."""
    return tuple(sorted(set(expand_cpu_list(text, option))))


def expand_cpu_list(text: str, option: str = "--cpus") -> tuple[int, ...]:
    """Return the CPUs of a list such as "8,0-3" in its order, with repetitions.

    Raises UsageError for a part that is neither a CPU nor a range (empty, open as "8-", descending
    as "3-0", not a number, or not below MAX_CPUS), and for lists of more than MAX_CPUS.
    """
    ranges = [_range(part.strip(), text, option) for part in text.strip().split(",")]
    if sum(map(len, ranges)) > MAX_CPUS:
        raise _invalid(f"the list has more than {MAX_CPUS} CPUs", text[:64], option)
    return tuple(cpu for span in ranges for cpu in span)


def cpus_in_list(text: str) -> tuple[int, ...]:
    """Return the CPUs or nodes in the text of a kernel file; empty if it is not a list."""
    try:
        return parse_cpu_list(text)
    except UsageError:
        return ()


def _range(part: str, text: str, option: str) -> range:
    match = _PART.fullmatch(part)
    if match is None:
        raise _invalid(f"{part!r} is neither a CPU nor a range of CPUs", text, option)
    first = int(match[1])
    last = first if match[2] is None else int(match[2])
    if last < first:
        raise _invalid(f"the range {part!r} descends", text, option)
    if last >= MAX_CPUS:
        raise _invalid(f"{part!r} contains a CPU above {MAX_CPUS - 1}", text, option)
    return range(first, last + 1)


def _invalid(reason: str, text: str, option: str) -> UsageError:
    return UsageError(
        f"{option} {text!r}: {reason}",
        "write numbers and ranges separated by commas, such as 0-3,8",
    )


def format_cpu_list(cpus: Iterable[int]) -> str:
    """Return CPUs in the kernel's notation, such as "0-3,8"; empty for no CPUs."""
    spans: list[tuple[int, int]] = []
    for cpu in sorted(set(cpus)):
        if spans and cpu == spans[-1][1] + 1:
            spans[-1] = (spans[-1][0], cpu)
        else:
            spans.append((cpu, cpu))
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in spans)
