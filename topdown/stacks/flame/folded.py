"""A profile as folded stacks, the text that flamegraph.pl, inferno and speedscope read.

One line per stack and process, ``process;outermost;...;leaf samples``, sorted. ``;`` in a name is
replaced by ``:``, and line ends and control characters by U+FFFD, so every line has one field per
frame. An unnamed function is ``[unknown]``; the outermost frame of a truncated chain names the
reason (``[truncated: ...]``). Counts are samples; the file is valid UTF-8 for any names.
"""

from collections.abc import Iterator

from topdown.stacks.flame.names import function_text
from topdown.stacks.profile import FunctionKind, Profile


def _field(name: str) -> str:
    return function_text(name).replace(";", ":").strip()


def render_folded(profile: Profile) -> str:
    """Return folded stacks, sorted; empty if the profile has no samples."""
    counts: dict[str, int] = {}
    names = [_field(function.name) for function in profile.functions]
    processes = [_field(thread.process_name) for thread in profile.threads]
    stacks = _Stacks(profile, names)
    rows = zip(
        profile.weight_node.tolist(),
        profile.weight_thread.tolist(),
        profile.weight_samples.tolist(),
        strict=True,
    )
    for node, thread, samples in rows:
        if samples > 0:
            stack = stacks.text(node)
            line = f"{processes[thread]};{stack}" if stack else processes[thread]
            counts[line] = counts.get(line, 0) + samples
    return "".join(f"{stack} {samples}\n" for stack, samples in sorted(counts.items()))


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
