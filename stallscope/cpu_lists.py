"""Lists of CPUs as the kernel and people write them: "0-3,8"; read strictly, with clear errors."""

import re
from collections.abc import Iterable

from stallscope.errors import UsageError
from stallscope.system_files import MOST_CPUS

_PART = re.compile(r"([0-9]{1,7})(?:-([0-9]{1,7}))?")


def parse_cpu_list(text: str, option: str = "--cpus") -> tuple[int, ...]:
    """Return the CPUs of a list as "0-3,8", sorted, each once; UsageError as listed_cpus()."""
    return tuple(sorted(set(listed_cpus(text, option))))


def listed_cpus(text: str, option: str = "--cpus") -> tuple[int, ...]:
    """Return the CPUs of a list as "8,0-3" in its order, as often as it names them.

    Raises UsageError that names the part which is no CPU or range: empty, open ("8-"), descending
    ("3-0"), not a number, or beyond MOST_CPUS; also where parts name more than these together.
    """
    ranges = [_range(part.strip(), text, option) for part in text.strip().split(",")]
    if sum(map(len, ranges)) > MOST_CPUS:
        raise _refused(f"it names more than {MOST_CPUS} CPUs", text[:64], option)
    return tuple(cpu for each in ranges for cpu in each)


def cpus_in_list(text: str) -> tuple[int, ...]:
    """Return the CPUs or nodes that a file of the kernel lists; none where it holds no list."""
    try:
        return parse_cpu_list(text)
    except UsageError:
        return ()


def _range(part: str, text: str, option: str) -> range:
    found = _PART.fullmatch(part)
    if found is None:
        raise _refused(f"{part!r} is no CPU and no range of CPUs", text, option)
    first = int(found[1])
    last = first if found[2] is None else int(found[2])
    if last < first:
        raise _refused(f"the range {part!r} descends", text, option)
    if last >= MOST_CPUS:
        raise _refused(f"{part!r} names a CPU beyond {MOST_CPUS - 1}", text, option)
    return range(first, last + 1)


def _refused(what: str, text: str, option: str) -> UsageError:
    return UsageError(
        f"{option} {text!r}: {what}", "a list has numbers and ranges with commas, as 0-3,8"
    )


def format_cpu_list(cpus: Iterable[int]) -> str:
    """Return CPUs as the kernel writes them, "0-3,8"; empty for none."""
    spans: list[tuple[int, int]] = []
    for cpu in sorted(set(cpus)):
        if spans and cpu == spans[-1][1] + 1:
            spans[-1] = (spans[-1][0], cpu)
        else:
            spans.append((cpu, cpu))
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in spans)
