"""The flame graph of the later recording, coloured by change: red grew, blue shrank."""

import numpy as np
import numpy.typing as npt

from harness.diff.frames import frame_key
from harness.diff.rows import RowKey
from topdown.stacks.flame.svg import Colours, render_svg
from topdown.stacks.profile import Profile
from topdown.stacks.profile_tree import node_levels, subtree_sums

Floats = npt.NDArray[np.float64]

WIDTH_PX = 1180
# Changes of a frame's total share that get the next shade, in shares of the whole.
_STEPS = (0.001, 0.003, 0.01, 0.03)
_RED = ("#f7ddd6", "#efb7a8", "#e28a76", "#cc5a47")
_BLUE = ("#d9e4f2", "#b1c8e6", "#82a5d6", "#4f7dc0")
STYLE = (
    ".same{fill:#e8e8e4}"
    + "".join(f".grew{n}{{fill:{colour}}}" for n, colour in enumerate(_RED))
    + "".join(f".shrank{n}{{fill:{colour}}}" for n, colour in enumerate(_BLUE))
    + ".new{fill:#cc5a47;stroke:#5b160b;stroke-width:1.2}\n"
)
_LEGEND = (
    ("same", "changed by less than 0.1 points"),
    *((f"grew{n}", f"grew by {100 * step:g} points") for n, step in enumerate(_STEPS)),
    *((f"shrank{n}", f"shrank by {100 * step:g} points") for n, step in enumerate(_STEPS)),
    ("new", "appeared"),
)


def diff_flame(before: Profile, after: Profile, *, with_style: bool = True) -> str:
    """Return the SVG; a frame is matched by its whole call path."""
    changes, is_new = path_changes(before, after)
    classes, tooltips = {}, {}
    for node, change in enumerate(changes.tolist()):
        classes[node] = "new" if is_new[node] else _shade(change)
        tooltips[node] = ", not there before" if is_new[node] else f", {100 * change:+.2f} points"
    colours = Colours(classes, _LEGEND, STYLE, tooltips)
    return render_svg(after, width=WIDTH_PX, inverted=False, with_style=with_style, colours=colours)


def path_changes(before: Profile, after: Profile) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return the change of each later node's total share, and whether its path is new."""
    shares: dict[int, float] = {}
    earlier = _total_shares(before)
    paths: dict[tuple[int, RowKey], int] = {}
    numbers = _path_numbers(before, paths)
    for node, number in enumerate(numbers):
        shares[number] = shares.get(number, 0.0) + float(earlier[node])
    later = _total_shares(after)
    changes = np.zeros(len(later))
    is_new = np.zeros(len(later), dtype=bool)
    for node, number in enumerate(_path_numbers(after, paths)):
        is_new[node] = number not in shares
        changes[node] = float(later[node]) - shares.get(number, 0.0)
    return changes, is_new


def _path_numbers(profile: Profile, paths: dict[tuple[int, RowKey], int]) -> list[int]:
    """Return the number of each node's path; equal paths of both profiles share a number."""
    keys = [frame_key(function) for function in profile.functions]
    numbers: list[int] = []
    for parent, function in zip(
        profile.node_parent.tolist(), profile.node_function.tolist(), strict=True
    ):
        key = keys[function] if parent >= 0 else RowKey("")
        step = (numbers[parent] if parent >= 0 else -1, key)
        numbers.append(paths.setdefault(step, len(paths)))
    return numbers


def _total_shares(profile: Profile) -> Floats:
    own = np.zeros(len(profile.node_parent), dtype=np.int64)
    np.add.at(own, profile.weight_node, profile.weight_value)
    totals = subtree_sums(node_levels(profile.node_parent), profile.node_parent, own)
    shares: Floats = totals / max(1, int(totals[0]))
    return shares


def _shade(change: float) -> str:
    level = sum(abs(change) >= step for step in _STEPS) - 1
    if level < 0:
        return "same"
    return f"{'grew' if change > 0 else 'shrank'}{level}"
