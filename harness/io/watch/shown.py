"""A watch's document as text and page show it, read again: strangers may have written it."""

from dataclasses import dataclass

from msgspec import convert

from ioprobe.curve.readings import HistogramBucket
from ioprobe.engine.lines import LatencyRecord
from ioprobe.engine.points import Latency
from stallscope.errors import RecordingError
from stallscope.json_fields import REMEDY, Fields

MOST_ROWS = 100_000
MOST_CELLS = 1_000_000


@dataclass(frozen=True, slots=True)
class RowShown:
    """Requests of one kind. ``label`` is the process or the sizes, empty where neither is told."""

    label: str
    device: str
    direction: str
    requests: int
    size_bytes: int
    queued: int
    queue: Latency | None
    on_device: Latency | None
    total: Latency | None
    errors: tuple[tuple[str, int], ...]
    buckets: tuple[HistogramBucket, ...]  # of the time on the device
    queue_buckets: tuple[HistogramBucket, ...]


@dataclass(frozen=True, slots=True)
class HeatShown:
    """Counts by time and latency: ``columns`` each a tuple of a count a row."""

    column_s: float
    edges_ns: tuple[int, ...]
    columns: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class WatchShown:
    """All that is shown of a watch."""

    seconds: float
    devices: tuple[str, ...]
    bios: tuple[str, ...]  # the devices of which bios are told
    rows: tuple[RowShown, ...]
    sizes: tuple[RowShown, ...]
    processes: tuple[RowShown, ...]
    heat: HeatShown
    facts: tuple[tuple[str, str], ...]
    warnings: tuple[str, ...]


def watch_shown(fields: Fields) -> WatchShown:
    """Return what is to be shown; RecordingError where the document is damaged."""
    devices = fields.objects("devices")
    rows, sizes, processes = (fields.objects(name) for name in ("rows", "sizes", "processes"))
    if len(rows) + len(sizes) + len(processes) > MOST_ROWS:
        raise RecordingError(f"{fields.where}: more than {MOST_ROWS:,} rows", REMEDY)
    return WatchShown(
        seconds=fields.number("seconds"),
        devices=tuple(each.text("device") for each in devices),
        bios=tuple(each.text("device") for each in devices if each.text("traced") == "bios"),
        rows=tuple(_row(each, "") for each in rows),
        sizes=tuple(_row(each, _sizes(each)) for each in sizes),
        processes=tuple(_row(each, _process(each)) for each in processes),
        heat=_heat(fields.fields("heat")),
        facts=tuple(_facts(fields)),
        warnings=fields.texts("warnings"),
    )


def _row(one: Fields, label: str) -> RowShown:
    errors = one.fields("errors")
    return RowShown(
        label=label,
        device=one.text("device"),
        direction=one.text("direction"),
        requests=one.count("requests"),
        size_bytes=one.count("bytes"),
        queued=one.count("queued"),
        queue=_latency(one, "queue_ns"),
        on_device=_latency(one, "device_ns"),
        total=_latency(one, "total_ns"),
        errors=tuple((name, errors.count(name)) for name in errors.values),
        buckets=_buckets(one, "histogram"),
        queue_buckets=_buckets(one, "queue_histogram"),
    )


def _buckets(one: Fields, key: str) -> tuple[HistogramBucket, ...]:
    made = []
    rows = one.values.get(key, [])
    for row in rows if isinstance(rows, list | tuple) else [None]:
        if not isinstance(row, list | tuple) or len(row) != 3:
            raise RecordingError(f"{one.where}: {key} should hold rows of three numbers", REMEDY)
        low, high, count = Fields({"row": list(row)}, one.where).integers("row")
        if not 0 <= low <= high < 2**62 or not 0 <= count < 2**62:
            raise RecordingError(f"{one.where}: {key} holds a bucket that cannot be", REMEDY)
        made.append((low, high, count))
    return tuple(made)


def _sizes(one: Fields) -> str:
    least, most = one.count("least_bytes"), one.count("most_bytes")
    return f"{_bytes_text(least)}-{_bytes_text(most + 1)}" if most else "no data"


def _bytes_text(size: int) -> str:
    for shift, unit in ((30, "G"), (20, "M"), (10, "K")):
        if size >= 1 << shift:
            return f"{size >> shift}{unit}"
    return f"{size}"


def _process(one: Fields) -> str:
    pid = one.values.get("pid")
    if pid is None:
        return "all others"
    return f"{one.text('name')} ({one.integer('pid')})" if pid else "not known"


def _heat(heat: Fields) -> HeatShown:
    edges = heat.integers("row_edges_ns")
    columns = []
    rows = heat.values.get("columns", [])
    for column in rows if isinstance(rows, list) else []:
        counts = Fields({"column": column}, heat.where).integers("column")
        if len(counts) != len(edges) - 1 or min(counts, default=0) < 0:
            raise RecordingError(f"{heat.where}: a column does not fit its edges", REMEDY)
        columns.append(counts)
    if len(columns) * len(edges) > MOST_CELLS:
        raise RecordingError(f"{heat.where}: more than {MOST_CELLS:,} cells", REMEDY)
    return HeatShown(heat.number("column_s"), edges, tuple(columns))


def _facts(fields: Fields) -> "list[tuple[str, str]]":
    under_way, lost = fields.fields("under_way"), fields.fields("lost")
    on_the_way, overhead = fields.fields("on_the_way"), fields.fields("overhead")
    at_start = under_way.maybe_count("at_start")
    started = f"at the start {'not known' if at_start is None else f'{at_start:,}'}"
    events = lost.nullable_count("events")
    lost_text = (
        f"{'events: unknown' if events is None else f'{events:,} events'}; "
        f"{lost.count('requests_discarded'):,} requests under way then are not told"
    )
    way_text = (
        f"{on_the_way.count('requeues'):,} put back, "
        f"{on_the_way.count('merged_requests'):,} merged into others when queued already, "
        f"{on_the_way.count('splits'):,} splits, {on_the_way.count('partial'):,} parts "
        f"completed, {on_the_way.count('same_sector'):,} of a sector that had one under way"
    )
    ended = f"at the end {under_way.count('at_end'):,}"
    facts = [
        ("under way", f"{started}, {ended}; their times are not told"),
        ("lost", lost_text),
        ("on the way", way_text),
        ("overhead", _overhead(overhead)),
    ]
    others = fields.maybe_count("other_processes")
    if others is not None:
        facts.append(("others", f"{others:,} requests of other processes are not shown"))
    return facts + _kernel_facts(fields)


def _overhead(overhead: Fields) -> str:
    share = overhead.maybe_number("own_cpu_share")
    rate = overhead.maybe_number("events_per_s")
    of_one = "" if share is None else f" ({share * 100:.1f} % of one)"
    a_second = "" if rate is None else f" ({rate:,.0f}/s)"
    return (
        f"{overhead.number('own_cpu_s'):.2f} s of CPU here{of_one} for "
        f"{overhead.count('events'):,} events{a_second}; what the kernel took to write them is "
        "not in it"
    )


def _kernel_facts(fields: Fields) -> "list[tuple[str, str]]":
    made = []
    for device in fields.objects("devices"):
        if device.values.get("kernel_counted") is None:
            continue
        counted = device.fields("kernel_counted")
        text = (
            f"{counted.count('reads'):,} reads ({counted.count('read_merges'):,} merged), "
            f"{counted.count('writes'):,} writes with flushes "
            f"({counted.count('write_merges'):,} merged)"
        )
        made.append((f"kernel's count, {device.text('device')}", text))
    return made


def _latency(fields: Fields, key: str) -> Latency | None:
    return convert(dict(fields.fields(key).values), LatencyRecord).complete()
