"""The places of interpreted code in the memory of its processes."""

import re
from collections.abc import Iterable, Sequence

NO_CODE = -1

CodeRange = tuple[int, int, int]  # pid, begin, end

_CLASS = re.compile(r"[\w:]+[#.]")


def fullest_names(functions: Sequence[tuple[int, str, str]]) -> list[int]:
    """Return for each function the one with the longest name among those that are the same one.

    ``functions``: code, name and file of each. A method that was read while its frame changed has a
    name without its class.
    """
    best: dict[tuple[int, str, str], int] = {}
    keys = [(code, _CLASS.sub("", name), file) for code, name, file in functions]
    for number, key in enumerate(keys):
        known = best.setdefault(key, number)
        if len(functions[number][1]) > len(functions[known][1]):
            best[key] = number
    return [best[key] if key[0] != NO_CODE else number for number, key in enumerate(keys)]


def code_ranges(
    functions: Iterable[tuple[int, tuple[int, int]]],
) -> tuple[list[CodeRange], list[int]]:
    """Return disjoint ranges of code, ascending, and the number of the range of each function.

    ``functions``: pid and code of each. Code that overlaps other code, because its memory was used
    again, is left out: its functions have the number NO_CODE.
    """
    code_places = [(pid, *code) for pid, code in functions]
    groups: list[list[CodeRange]] = []  # that overlap
    reach = 0
    for item in sorted(set(code_places)):
        pid, begin, end = item
        if groups and groups[-1][0][0] == pid and begin <= reach:
            groups[-1].append(item)
            reach = max(reach, end)
        else:
            groups.append([item])
            reach = end
    ranges = [group[0] for group in groups if len(group) == 1]
    number_of = {item: number for number, item in enumerate(ranges)}
    return ranges, [number_of.get(item, NO_CODE) for item in code_places]
