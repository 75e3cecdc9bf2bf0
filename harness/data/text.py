"""Data that loads read, for a terminal."""

from collections.abc import Iterator

from harness.cli.table import columns, fitting_rows
from harness.cli.terminal import percent, wrapped
from harness.cli.terminal import width as terminal_width
from harness.data.result import DataAddresses, DataResult, FieldLoads, HotLoadsResult, SharedWord
from stallscope.quantities import count_text

_NO_TYPES = (
    "No load was resolved to a field. The program has no type information: build it with -g, or "
    "install its debug symbols."
)


def data_text(result: DataResult, *, top: int) -> str:
    """Return the fields that hot loads read, and what the data addresses show."""
    width = terminal_width()
    lines = list(_hot_loads_lines(result.hot_loads, width, top))
    if result.addresses is not None:
        lines += ["", *_address_lines(result.addresses, width, top)]
    else:
        lines += ["", *wrapped(f"Data addresses: unavailable: {result.addresses_missing}.", width)]
    for warning in result.warnings:
        lines += wrapped(f"Note: {warning}", width, "  ")
    return "\n".join(lines)


def _hot_loads_lines(loads: HotLoadsResult, width: int, top: int) -> Iterator[str]:
    total = max(1, loads.samples)
    yield "Fields that hot loads read (modelled: from code and debug information)"
    if loads.fields:
        heads: tuple[str, ...] = ("Field", "Samples", "Share", "Misses", "Function")
        rows = [_field_row(row, total) for row in loads.fields[:top]]
        optional = ["Function", "Samples"]
        if all(row.misses is None for row in loads.fields):
            heads, rows = _without(heads, rows, "Misses")
        yield from fitting_rows([heads, *rows], width, optional)
        if len(loads.fields) > top:
            yield f"and {len(loads.fields) - top:,} more fields"
    else:
        yield from wrapped(_NO_TYPES, width)
    yield ""
    shares = (
        ("loads of known fields", loads.resolved),
        ("loads of unknown data", loads.unresolved),
        ("a load or another instruction", loads.undetermined),
        ("no load", loads.other),
        ("code without type information", loads.untyped),
    )
    yield f"{loads.samples:,} samples: " + ", ".join(
        f"{percent(count / total)} {name}" for name, count in shares if count
    )


def _without(
    heads: tuple[str, ...], rows: list[tuple[str, ...]], head: str
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    column = heads.index(head)
    return heads[:column] + heads[column + 1 :], [row[:column] + row[column + 1 :] for row in rows]


def _field_row(row: FieldLoads, total: int) -> tuple[str, ...]:
    separator = "" if not row.field or row.field.startswith("[") else "."
    misses = "n/a" if row.misses is None else f"{row.misses:,}"
    name = f"{row.type}{separator}{row.field}"
    return name, f"{row.samples:,}", percent(row.samples / total), misses, row.function


def _address_lines(addresses: DataAddresses, width: int, top: int) -> Iterator[str]:
    yield f"Accesses with data addresses (measured): {addresses.accesses:,}"
    heads = ("Level", "Loads", "Stores", "Mean latency")
    yield from columns(
        [heads]
        + [
            (row.level, f"{row.loads:,}", f"{row.stores:,}", _cycles(row.mean_latency))
            for row in addresses.levels
        ]
    )
    yield ""
    yield "Cache lines with most misses"
    yield from columns(
        [("Line", "Accesses", "Misses", "From another cache", "Threads", "Field or function")]
        + [
            (
                f"{line.address:#x}",
                f"{line.accesses:,}",
                f"{line.misses:,}",
                f"{line.modified:,}",
                f"{len({thread for word in line.words for thread in word.threads}):,}",
                _place(max(line.words, key=lambda word: word.loads + word.stores)),
            )
            for line in addresses.lines[:top]
        ]
    )
    yield ""
    yield from _sharing_lines(addresses, width, top)
    yield from _node_lines(addresses)


def _sharing_lines(addresses: DataAddresses, width: int, top: int) -> Iterator[str]:
    if not addresses.false_sharing:
        yield "False sharing: nothing stands out."
        return
    count = len(addresses.false_sharing)
    yield f"False sharing: {count_text(count, 'pair')} of words"
    for pair in addresses.false_sharing[:top]:
        yield from wrapped(
            f"{pair.address:#x}: {_use(pair.first)}; {_use(pair.second)}. "
            f"{pair.modified:,} loads took the line from another cache.",
            width,
            "  ",
        )
    yield from wrapped(
        "Different threads use different words of the line, and at least one writes. Give each "
        "word a separate line: alignas(64).",
        width,
    )


def _use(word: SharedWord) -> str:
    access = "read and written" if word.stores and word.loads else "written"
    if not word.stores:
        access = "read"
    return f"byte {word.offset} ({_place(word)}) {access} by {', '.join(word.threads)}"


def _place(word: SharedWord) -> str:
    return word.field or word.function or "unknown"


def _node_lines(addresses: DataAddresses) -> Iterator[str]:
    if addresses.nodes is None:
        return
    yield ""
    yield "Memory accesses by node"
    yield from columns(
        [("CPU node", "Memory node", "Accesses", "Mean latency")]
        + [
            (
                str(pair.cpu_node),
                str(pair.memory_node),
                f"{pair.accesses:,}",
                _cycles(pair.mean_latency),
            )
            for pair in addresses.nodes
        ]
    )
    if addresses.unknown_nodes:
        yield f"{addresses.unknown_nodes:,} accesses to memory have no known node"


def _cycles(latency: float | None) -> str:
    return "n/a" if latency is None else f"{latency:,.0f} cycles"
