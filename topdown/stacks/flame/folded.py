"""A profile as folded stacks, the text that flamegraph.pl, inferno and speedscope read.

One line per stack and process, ``process;outermost;...;leaf samples``, sorted. ``;`` in a name is
replaced by ``:``, and line ends and control characters by U+FFFD, so every line has one field per
frame. An unnamed function is ``[unknown]``; the outermost frame of a truncated chain names the
reason (``[truncated: ...]``). Counts are samples, or microseconds if the profile is one of wall
time or of time off the CPU, whose samples differ in length. The file is valid UTF-8 for any names.
"""

from collections.abc import Iterator

from topdown.stacks.flame.names import function_text
from topdown.stacks.profile import FunctionKind, Profile
from topdown.waits.weight import OFF_CPU_TIME, WALL_TIME

_NS_PER_US = 1000


def _field(name: str) -> str:
    return function_text(name).replace(";", ":").strip()


def render_folded(profile: Profile, *, by_value: bool = False) -> str:
    """Return folded stacks, sorted; empty if the profile has no samples.

    ``by_value``: weights in the unit of the profile instead of counts, as stackcollapse-perf writes
    periods.
    """
    counts: dict[str, int] = {}
    names = [_field(function.name) for function in profile.functions]
    processes = [_field(thread.process_name) for thread in profile.threads]
    stacks = _Stacks(profile, names)
    by_time = profile.source.event in (WALL_TIME, OFF_CPU_TIME)
    weights = profile.weight_value if by_time or by_value else profile.weight_samples
    rows = zip(
        profile.weight_node.tolist(),
        profile.weight_thread.tolist(),
        weights.tolist(),
        strict=True,
    )
    for node, thread, weight in rows:
        if weight > 0:
            stack = stacks.text(node)
            line = f"{processes[thread]};{stack}" if stack else processes[thread]
            counts[line] = counts.get(line, 0) + weight
    unit = _NS_PER_US if by_time and not by_value else 1
    rounded = ((stack, round(weight / unit)) for stack, weight in sorted(counts.items()))
    return "".join(f"{stack} {weight}\n" for stack, weight in rounded if weight)


class _Stacks:
    """Folded text of the stacks of nodes, without the process."""

    def __init__(self, profile: Profile, names: list[str]) -> None:
        self._names = names
        self._parent = profile.node_parent.tolist()
        self._function = profile.node_function.tolist()
        self._is_root = [function.kind == FunctionKind.ROOT for function in profile.functions]

    def _names_to_root(self, node: int) -> Iterator[str]:
        while node >= 0:
            function = self._function[node]
            if not self._is_root[function]:
                yield self._names[function]
            node = self._parent[node]

    def text(self, node: int) -> str:
        return ";".join(reversed(list(self._names_to_root(node))))
