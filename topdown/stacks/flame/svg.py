"""A profile as one SVG picture: no script, every frame with its figures as a tooltip."""

from dataclasses import dataclass
from html import escape

from stallscope.printable import visible_text
from topdown.stacks.flame.layout import FlameTree, Rectangle, flame_tree, lay_out
from topdown.stacks.flame.names import function_text
from topdown.stacks.profile import Function, FunctionKind, Profile

ROW_PX = 18
MARGIN_PX = 10
HEAD_PX = 58
FOOT_PX = 30
CHAR_PX = 6.7  # of the sans-serif fonts at 11 px, on the safe side
LEAST_WIDTH_PX = 200

_CLASS_OF_KIND = {
    FunctionKind.USER: "user",
    FunctionKind.KERNEL: "kernel",
    FunctionKind.INLINED: "inlined",
    FunctionKind.PYTHON: "python",
    FunctionKind.UNKNOWN: "unknown",
    FunctionKind.TRUNCATED: "truncated",
    FunctionKind.ROOT: "root",
}
_LEGEND = (
    ("user", "user"),
    ("inlined", "inlined"),
    ("python", "Python"),
    ("kernel", "kernel"),
    ("unknown", "no symbol"),
    ("truncated", "truncated"),
    ("rest", "too narrow"),
)
STYLE = """
text{font:11px system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;fill:#17181b}
.title{font-size:17px;font-weight:600}.soft{fill:#565b65}.paper{fill:#fff}
.user{fill:#f3b765}.user.odd{fill:#f0aa52}.kernel{fill:#a3c2ee}.kernel.odd{fill:#92b5ea}
.inlined{fill:#bdd389}.inlined.odd{fill:#b1ca76}.unknown{fill:#c9ccd1}.unknown.odd{fill:#c1c4ca}
.python{fill:#86cfbf;stroke:#3f8a7a;stroke-width:.6}.python.odd{fill:#79c5b4}
.truncated{fill:#ecd9d6;stroke:#8c5850;stroke-dasharray:4 2.5}
.root{fill:#dcdee2}.rest{fill:#e4e4df}g:hover rect{stroke:#1b1d21}
@media(prefers-color-scheme:dark){.paper{fill:#1a1d22}.head,.soft{fill:#c3c8d1}
.rest{fill:#4b515b}.rest+text{fill:#e8eaee}g:hover rect{stroke:#fff}}
"""


@dataclass(frozen=True, slots=True)
class _Sheet:
    """Where rows stand on the sheet."""

    width_px: int
    n_rows: int
    inverted: bool

    @property
    def height_px(self) -> int:
        return HEAD_PX + self.n_rows * ROW_PX + FOOT_PX

    def y_px(self, depth: int) -> int:
        row = depth if self.inverted else self.n_rows - 1 - depth
        return HEAD_PX + row * ROW_PX


def value_text(value: int, unit: str) -> str:
    """A weight with its unit; nanoseconds in the largest unit that keeps a digit."""
    if unit != "ns":
        return f"{value:,} {unit}"
    for scale, name in ((1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "\u00b5s")):
        if value >= scale:
            return (
                f"{value / scale:.3g} {name}"
                if value < 1000 * scale
                else f"{value / scale:,.0f} {name}"
            )
    return f"{value} ns"


def render_svg(profile: Profile, *, width: int, inverted: bool, with_style: bool = True) -> str:
    """The graph of ``profile`` as SVG, ``width`` pixels wide (at least 200).

    ``inverted`` puts the root on top (an icicle). Frames narrower than a pixel are folded into a
    counted remainder. Without its style it is for a page that has STYLE itself.

    Every name is escaped and made visible; the text is valid XML and UTF-8.
    """
    tree = flame_tree(profile)
    width_px = max(LEAST_WIDTH_PX, width)
    rectangles = lay_out(tree, width_px - 2 * MARGIN_PX)
    n_rows = 1 + max((rectangle.depth for rectangle in rectangles), default=0)
    sheet = _Sheet(width_px, n_rows, inverted)
    style = f"<style>{STYLE}</style>\n" if with_style else ""
    frames = "\n".join(_frame(profile, tree, sheet, rectangle) for rectangle in rectangles)
    if not rectangles:
        frames = f'<text class="head" x="{MARGIN_PX}" y="{HEAD_PX + 12}">No samples.</text>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width_px}" height="{sheet.height_px}" '
        f'viewBox="0 0 {width_px} {sheet.height_px}" role="img">\n'
        f"{style}"
        f'<rect class="paper" width="{width_px}" height="{sheet.height_px}"/>\n'
        f"{_head(profile, sheet)}\n{frames}\n{_legend(profile, tree, rectangles, sheet)}\n</svg>\n"
    )


def _head(profile: Profile, sheet: _Sheet) -> str:
    """Title and the line that says where the numbers come from and what is missing."""
    source = profile.source
    rate = f"{source.frequency_hz:,} Hz" if source.frequency_hz else "rate not known"
    if source.period:
        rate = f"every {value_text(source.period, source.unit)}"
    said = [source.event, source.kind, rate, source.scope, f"{profile.samples:,} samples"]
    said.append(f"{profile.lost:,} lost")
    for share, what in (
        (profile.unknown_share, "no symbol"),
        (profile.truncated_share, "truncated"),
    ):
        if share > 0:
            said.append(f"{100 * share:.1f} % {what}")
    title = _fitted(visible_text(profile.title, 200), (sheet.width_px - 2 * MARGIN_PX) * 0.62)
    line = visible_text(" \u00b7 ".join(said), 400)
    return (
        f"<title>{escape(visible_text(profile.title, 200))}</title>\n"
        f'<text class="title head" x="{MARGIN_PX}" y="25">{escape(title)}</text>\n'
        f'<text class="soft" x="{MARGIN_PX}" y="44">{escape(line)}</text>'
    )


def _legend(profile: Profile, tree: FlameTree, rectangles: list[Rectangle], sheet: _Sheet) -> str:
    """What the colours mean that the picture has."""
    drawn = {
        "rest" if shown.folded else _look(profile.functions[tree.function[shown.position]])
        for shown in rectangles
    }
    parts, x_px, y_px = [], MARGIN_PX, sheet.height_px - 20
    for name, text in _LEGEND:
        if name not in drawn:
            continue
        parts.append(f'<rect class="{name}" x="{x_px}" y="{y_px}" width="10" height="10"/>')
        parts.append(f'<text class="soft" x="{x_px + 15}" y="{y_px + 9}">{text}</text>')
        x_px += 34 + round(len(text) * CHAR_PX)
    return "\n".join(parts)


def _look(function: Function) -> str:
    return _CLASS_OF_KIND.get(function.kind, "unknown")


def _frame(profile: Profile, tree: FlameTree, sheet: _Sheet, rectangle: Rectangle) -> str:
    """One rectangle with its tooltip, and its text where there is room."""
    function = profile.functions[tree.function[rectangle.position]]
    share = 100 * rectangle.value / int(tree.total_value[0])
    weight = f"{value_text(rectangle.value, profile.source.unit)}, {share:.2f} %"
    weight += f", {rectangle.samples:,} samples"
    look = _look(function)
    if rectangle.folded:
        look, name = "rest", f"{rectangle.folded:,} more"
        told = f"{name}, each narrower than a pixel: {weight}"
    else:
        name = function_text(function.name) if rectangle.position else "all"
        where = f" ({visible_text(function.module, 300)})" if function.module else ""
        told = f"{name}{where}: {weight}"
        look += " odd" if sum(name.encode()) % 2 else ""
    x_px, y_px = rectangle.x_px + MARGIN_PX, sheet.y_px(rectangle.depth)
    room = max(0.3, rectangle.width_px - 0.5)
    text = _fitted(name, room - 6)
    words = f'<text x="{x_px + 3:.2f}" y="{y_px + 12}">{escape(text)}</text>' if text else ""
    return (
        f"<g><title>{escape(told)}</title>"
        f'<rect class="{look}" x="{x_px:.2f}" y="{y_px}" width="{room:.2f}" height="{ROW_PX - 1}"/>'
        f"{words}</g>"
    )


def _fitted(text: str, room_px: float) -> str:
    """``text`` cut to the room there is; empty where not even three characters fit."""
    fits = int(room_px / CHAR_PX)
    if len(text) <= fits:
        return text
    return f"{text[: fits - 1]}\u2026" if fits >= 3 else ""
