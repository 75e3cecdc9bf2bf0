"""The stacks of a profile by thread, for formats that keep each thread apart."""

from collections.abc import Iterator

from msgspec import Struct

from topdown.stacks.profile import Profile


class StackRow(Struct, frozen=True):
    """A stack with its weight: numbers of functions, outermost first; ``node``: its leaf."""

    node: int
    functions: tuple[int, ...]
    samples: int
    value: int


class ThreadStacks(Struct, frozen=True):
    """The stacks of one thread, in the order of the profile; ``thread``: its index there."""

    thread: int
    name: str
    rows: tuple[StackRow, ...]


def thread_stacks(profile: Profile) -> Iterator[ThreadStacks]:
    """Yield the stacks of each thread that has weight, the heaviest thread first."""
    rows: dict[int, list[StackRow]] = {}
    parents, owners = profile.node_parent.tolist(), profile.node_function.tolist()
    known: dict[int, tuple[int, ...]] = {0: ()}
    columns = zip(
        profile.weight_node.tolist(),
        profile.weight_thread.tolist(),
        profile.weight_samples.tolist(),
        profile.weight_value.tolist(),
        strict=True,
    )
    for node, thread, samples, value in columns:
        if value > 0:
            stack = _stack(node, parents, owners, known)
            rows.setdefault(thread, []).append(StackRow(node, stack, samples, value))
    for thread in sorted(rows, key=lambda number: -sum(row.value for row in rows[number])):
        known_thread = profile.threads[thread]
        name = f"{known_thread.process_name}/{known_thread.thread_name} {known_thread.tid}"
        yield ThreadStacks(thread, name, tuple(rows[thread]))


def _stack(
    node: int, parents: list[int], owners: list[int], known: dict[int, tuple[int, ...]]
) -> tuple[int, ...]:
    path = []
    while node not in known:
        path.append(node)
        node = parents[node]
    for step in reversed(path):
        known[step] = (*known[parents[step]], owners[step])
    return known[path[0]] if path else known[node]
