"""The data of the flame page: a profile as variable-length integers, compressed if large.

``stallscope.flame-page/1``: a JSON object with ``format``, ``encoding`` (``base64`` or
``deflate-raw+base64``) and ``data``. Decoded, ``data`` is a sequence of sections, each a varint
length and its bytes, in the order of ``_sections``. Integers are LEB128 varints. The first
section is UTF-8 JSON (names, threads, scalars); the others are columns over nodes in preorder or
over weights in the order of their nodes. If the JSON has ``bins``, four further columns split the
weights by time: weight (difference to the previous row), bin, samples and value.
"""

import base64
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import numpy.typing as npt

from harness.profile.time_bins import TimeBins, TimeGrid, time_bins
from stallscope.printable import visible_text
from topdown.stacks.flame.layout import FlameTree
from topdown.stacks.flame.names import UNKNOWN_NAME, function_texts
from topdown.stacks.profile import Profile

if TYPE_CHECKING:
    from topdown.slots.function_slots import SlotsByFunction

FORMAT = "stallscope.flame-page/1"

# Smaller data are plain base64, which any browser with typed arrays reads. For larger data the
# browser needs DecompressionStream("deflate-raw") (Chromium 103, Firefox 113, Safari 16.4).
DEFLATE_FROM_BYTES = 256 * 1024

_LINES_KEPT = 5
_SUM_LIMIT = 1 << 62  # limit of samples times period, so that residuals fit into 64 bits


def varints(values: npt.NDArray[np.integer]) -> bytes:
    """Return the LEB128 encodings of the values, which must not be negative."""
    rest = values.astype(np.uint64)
    digits = np.ones(len(rest), dtype=np.int64)
    for shift in range(7, 64, 7):
        digits += rest >= np.uint64(1 << shift)
    offset = np.cumsum(digits) - digits
    out = np.zeros(int(digits.sum()), dtype=np.uint8)
    longest = int(digits.max()) if len(digits) else 0
    for digit in range(longest):
        rows = digits > digit
        more = (digits[rows] > digit + 1).astype(np.uint8) << 7
        out[offset[rows] + digit] = (rest[rows] & np.uint64(0x7F)).astype(np.uint8) | more
        rest = rest >> np.uint64(7)
    return out.tobytes()


def zigzag(values: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
    """Return signed integers as unsigned ones; small absolute values stay small."""
    return ((values << 1) ^ (values >> 63)).astype(np.uint64)


def _hot_first(weights: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return np.argsort(-weights, kind="stable")


def _renumbered(order: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.arange(len(order))
    return number


def _names(profile: Profile, order: Sequence[int]) -> dict[str, object]:
    """Return the functions in ``order`` as tables without repeated names."""
    all_functions = list(profile.functions)
    functions = [all_functions[index] for index in order]
    texts = function_texts(functions)
    module_text = {
        module: visible_text(module, 512) or UNKNOWN_NAME
        for module in dict.fromkeys(function.module for function in functions)
    }
    names, modules = _numbers(texts), _numbers(module_text.values())
    module_number = {module: modules[text] for module, text in module_text.items()}
    return {
        "names": list(names),
        "modules": list(modules),
        "function_name": [names[text] for text in texts],
        "function_module": [module_number[function.module] for function in functions],
        "function_kind": [int(function.kind) for function in functions],
        "lines": [
            [
                number,
                [[visible_text(line, 512), count] for line, count in function.lines[:_LINES_KEPT]],
            ]
            for number, function in enumerate(functions)
            if function.lines
        ],
    }


def _numbers(texts: Iterable[str]) -> dict[str, int]:
    """Return the number of each different text, in the order of first use."""
    return {text: number for number, text in enumerate(dict.fromkeys(texts))}


def _threads(profile: Profile, order: Sequence[int]) -> list[list[object]]:
    threads = (profile.threads[index] for index in order)
    return [
        [
            thread.pid,
            thread.tid,
            visible_text(thread.process_name, 64),
            visible_text(thread.thread_name, 64),
        ]
        for thread in threads
    ]


def _sections(
    profile: Profile,
    tree: FlameTree,
    slots: "SlotsByFunction | None",
    grid: TimeGrid | None,
) -> list[bytes]:
    uses = np.bincount(tree.function, minlength=len(profile.functions))
    function_order = _hot_first(uses)[: int(np.count_nonzero(uses))]
    function_number = np.zeros(len(profile.functions), dtype=np.int64)
    function_number[function_order] = np.arange(len(function_order))

    thread_value = np.zeros(len(profile.threads), dtype=np.int64)
    np.add.at(thread_value, profile.weight_thread, profile.weight_value)
    thread_order = _hot_first(thread_value)

    position = tree.position[profile.weight_node].astype(np.int64)
    rows = np.lexsort((_renumbered(thread_order)[profile.weight_thread], position))
    samples, value = profile.weight_samples[rows], profile.weight_value[rows]
    grand_samples = int(samples.sum())
    period = round(int(value.sum()) / grand_samples) if grand_samples else 0
    stated_period = profile.source.period or 0  # untrusted, may have any value
    if not 0 < stated_period * max(1, grand_samples) < _SUM_LIMIT:
        stated_period = 0
    period = stated_period or _usual_period(samples, value) or period
    text = {
        "unit": visible_text(profile.source.unit, 32),
        "nodes": len(tree.node),
        "weights": len(rows),
        "period": period,
        "threads": _threads(profile, thread_order.tolist()),
        **_names(profile, function_order.tolist()),
    }
    if slots is not None:
        number_of = {index: number for number, index in enumerate(function_order.tolist())}
        from harness.profile.slots_panel import payload  # noqa: PLC0415 - only with counters

        text["slots"] = payload(slots, number_of)
    bins = time_bins(profile, grid)
    if bins is not None:
        text["bins"] = {"rows": len(bins.row), "count": bins.count, "seconds": bins.bin_ns / 1e9}
    pops = np.r_[0, tree.depth[:-1] + 1 - tree.depth[1:]]
    return [
        msgspec.json.encode(text),
        varints(pops),
        varints(function_number[tree.function]),
        varints(np.diff(position[rows], prepend=0)),
        varints(_renumbered(thread_order)[profile.weight_thread][rows]),
        varints(samples),
        varints(zigzag(value - samples * period)),
        *([] if bins is None else _bin_sections(bins, _renumbered(rows), period)),
    ]


def _bin_sections(bins: TimeBins, number: npt.NDArray[np.int64], period: int) -> list[bytes]:
    """Return the columns of weights by time; ``number``: number of a weight on the page."""
    order = np.lexsort((bins.bin, number[bins.row]))
    samples = bins.samples[order]
    return [
        varints(np.diff(number[bins.row][order], prepend=0)),
        varints(bins.bin[order]),
        varints(samples),
        varints(zigzag(bins.value[order] - samples * period)),
    ]


def _usual_period(samples: npt.NDArray[np.int64], value: npt.NDArray[np.int64]) -> int:
    """Return the most frequent value per sample, so that most residuals are 0; 0 without rows."""
    per_sample = value[samples > 0] // samples[samples > 0]
    if not len(per_sample):
        return 0
    values, counts = np.unique(per_sample, return_counts=True)
    return int(values[np.argmax(counts)])


def encode(
    profile: Profile,
    tree: FlameTree,
    slots: "SlotsByFunction | None" = None,
    grid: TimeGrid | None = None,
) -> Mapping[str, str]:
    """Return the JSON object of the page; it is ASCII that needs no escaping in markup.

    ``grid``: the bins of weights by time, if other panels share them.
    """
    data = b"".join(
        varints(np.array([len(section)])) + section
        for section in _sections(profile, tree, slots, grid)
    )
    encoding = "base64"
    if len(data) >= DEFLATE_FROM_BYTES:
        compressor = zlib.compressobj(6, zlib.DEFLATED, -15)
        data = compressor.compress(data) + compressor.flush()
        encoding = "deflate-raw+base64"
    return {"format": FORMAT, "encoding": encoding, "data": base64.b64encode(data).decode()}
