"""A profile as an SVG image without script; every frame has a tooltip with its values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape

from stallscope.printable import visible_text
from stallscope.quantities import value_text
from topdown.stacks.flame.layout import FlameTree, Rectangle, flame_tree, lay_out
from topdown.stacks.flame.names import function_text
from topdown.stacks.profile import Function, FunctionKind, Profile

ROW_PX = 18
MARGIN_PX = 10
HEAD_PX = 58
FOOT_PX = 30
CHAR_PX = 6.7  # upper bound for common sans-serif fonts at 11 px
LEAST_WIDTH_PX = 200

_CLASS_OF_KIND = {
    FunctionKind.USER: "user",
    FunctionKind.KERNEL: "kernel",
    FunctionKind.INLINED: "inlined",
    FunctionKind.PYTHON: "python",
    FunctionKind.JAVASCRIPT: "javascript",
    FunctionKind.JAVA: "java",
    FunctionKind.RUBY: "ruby",
    FunctionKind.PHP: "php",
    FunctionKind.UNKNOWN: "unknown",
    FunctionKind.TRUNCATED: "truncated",
    FunctionKind.WAKER: "waker",
    FunctionKind.ROOT: "root",
}
_LEGEND = (
    ("user", "user"),
    ("inlined", "inlined"),
    ("python", "Python"),
    ("javascript", "JavaScript"),
    ("java", "Java"),
    ("ruby", "Ruby"),
    ("php", "PHP"),
    ("kernel", "kernel"),
    ("unknown", "no symbol"),
    ("truncated", "truncated"),
    ("waker", "woken by"),
    ("rest", "too narrow"),
)
STYLE = """
text{font:11px system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;fill:#17181b}
.title{font-size:17px;font-weight:600}.soft{fill:#565b65}.paper{fill:#fff}
.user{fill:#f3b765}.user.odd{fill:#f0aa52}.kernel{fill:#a3c2ee}.kernel.odd{fill:#92b5ea}
.inlined{fill:#bdd389}.inlined.odd{fill:#b1ca76}.unknown{fill:#c9ccd1}.unknown.odd{fill:#c1c4ca}
.python{fill:#86cfbf;stroke:#3f8a7a;stroke-width:.6}.python.odd{fill:#79c5b4}
.javascript{fill:#ead45f;stroke:#998520;stroke-width:.6}.javascript.odd{fill:#e3cb4d}
.java{fill:#e8977b;stroke:#9c4f36;stroke-width:.6}.java.odd{fill:#e48a6b}
.ruby{fill:#e79bb4;stroke:#a04465;stroke-width:.6}.ruby.odd{fill:#e28ca8}
.php{fill:#b3b1e6;stroke:#5c58a8;stroke-width:.6}.php.odd{fill:#a6a3e0}
.truncated{fill:#ecd9d6;stroke:#8c5850;stroke-dasharray:4 2.5}
.waker{fill:#d9c8f0;stroke:#6d4fa3;stroke-width:.8}
.root{fill:#dcdee2}.rest{fill:#e4e4df}g:hover rect{stroke:#1b1d21}
@media(prefers-color-scheme:dark){.paper{fill:#1a1d22}.head,.soft{fill:#c3c8d1}
.rest{fill:#4b515b}.rest+text{fill:#e8eaee}g:hover rect{stroke:#fff}}
"""


@dataclass(frozen=True, slots=True)
class Colours:
    """Colours by something else than the kind of function, such as change.

    ``classes``: a CSS class by node of the profile; ``tooltips``: text to append by node.
    ``legend``: classes and their texts.
    """

    classes: Mapping[int, str]
    legend: tuple[tuple[str, str], ...]
    style: str
    tooltips: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Image:
    """The image and the positions of its rows."""

    width_px: int
    n_rows: int
    inverted: bool
    colours: Colours | None = None

    @property
    def height_px(self) -> int:
        return HEAD_PX + self.n_rows * ROW_PX + FOOT_PX

    def y_px(self, depth: int) -> int:
        row = depth if self.inverted else self.n_rows - 1 - depth
        return HEAD_PX + row * ROW_PX


def render_svg(
    profile: Profile,
    *,
    width: int,
    inverted: bool,
    with_style: bool = True,
    colours: Colours | None = None,
) -> str:
    """Return the graph of ``profile`` as SVG, ``width`` pixels wide (at least 200).

    ``inverted`` puts the root on top (an icicle). Frames narrower than a pixel are folded into a
    remainder. ``with_style=False`` is for a page that contains STYLE.

    Every name is escaped; the result is valid XML and UTF-8.
    """
    tree = flame_tree(profile)
    width_px = max(LEAST_WIDTH_PX, width)
    rectangles = lay_out(tree, width_px - 2 * MARGIN_PX)
    n_rows = 1 + max((rectangle.depth for rectangle in rectangles), default=0)
    image = _Image(width_px, n_rows, inverted, colours)
    rules = STYLE if colours is None else STYLE + colours.style
    style = f"<style>{rules}</style>\n" if with_style else ""
    frames = "\n".join(_frame(profile, tree, image, rectangle) for rectangle in rectangles)
    if not rectangles:
        frames = f'<text class="head" x="{MARGIN_PX}" y="{HEAD_PX + 12}">No samples.</text>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width_px}" height="{image.height_px}" '
        f'viewBox="0 0 {width_px} {image.height_px}" role="img">\n'
        f"{style}"
        f'<rect class="paper" width="{width_px}" height="{image.height_px}"/>\n'
        f"{_head(profile, image)}\n{frames}\n{_legend(profile, tree, rectangles, image)}\n</svg>\n"
    )


def _head(profile: Profile, image: _Image) -> str:
    """Return the title and a line with source, sample count and missing parts."""
    source = profile.source
    rate = f"{source.frequency_hz:,} Hz" if source.frequency_hz else "rate not known"
    if source.period:
        rate = f"every {value_text(source.period, source.unit)}"
    facts = [source.event, source.kind, rate, source.scope, f"{profile.samples:,} samples"]
    facts.append("losses unknown" if profile.lost is None else f"{profile.lost:,} lost")
    for share, label in (
        (profile.unknown_share, "no symbol"),
        (profile.truncated_share, "truncated"),
    ):
        if share > 0:
            facts.append(f"{100 * share:.1f} % {label}")
    title = _shortened(visible_text(profile.title, 200), (image.width_px - 2 * MARGIN_PX) * 0.62)
    line = visible_text(" \u00b7 ".join(facts), 400)
    return (
        f"<title>{escape(visible_text(profile.title, 200))}</title>\n"
        f'<text class="title head" x="{MARGIN_PX}" y="25">{escape(title)}</text>\n'
        f'<text class="soft" x="{MARGIN_PX}" y="44">{escape(line)}</text>'
    )


def _legend(profile: Profile, tree: FlameTree, rectangles: list[Rectangle], image: _Image) -> str:
    """Return the legend of the colours used."""
    drawn = {
        "rest" if rectangle.folded else _css_class(profile, tree, image, rectangle.position)
        for rectangle in rectangles
    }
    legend = _LEGEND if image.colours is None else image.colours.legend
    parts, x_px, y_px = [], MARGIN_PX, image.height_px - 20
    for name, text in legend:
        if name not in drawn:
            continue
        parts.append(f'<rect class="{name}" x="{x_px}" y="{y_px}" width="10" height="10"/>')
        parts.append(f'<text class="soft" x="{x_px + 15}" y="{y_px + 9}">{text}</text>')
        x_px += 34 + round(len(text) * CHAR_PX)
    return "\n".join(parts)


def _css_class(profile: Profile, tree: FlameTree, image: _Image, position: int) -> str:
    if image.colours is not None:
        return image.colours.classes.get(int(tree.node[position]), "unknown")
    function: Function = profile.functions[tree.function[position]]
    return _CLASS_OF_KIND.get(function.kind, "unknown")


def _frame(profile: Profile, tree: FlameTree, image: _Image, rectangle: Rectangle) -> str:
    """Return a rectangle with its tooltip, and its text if there is room."""
    function = profile.functions[tree.function[rectangle.position]]
    share = 100 * rectangle.value / int(tree.total_value[0])
    weight = f"{value_text(rectangle.value, profile.source.unit)}, {share:.2f} %"
    weight += f", {rectangle.samples:,} samples"
    css_class = _css_class(profile, tree, image, rectangle.position)
    if rectangle.folded:
        css_class, name = "rest", f"{rectangle.folded:,} more"
        tooltip = f"{name}, each narrower than a pixel: {weight}"
    else:
        name = function_text(function.name) if rectangle.position else "all"
        module = f" ({visible_text(function.module, 300)})" if function.module else ""
        tooltip = f"{name}{module}: {weight}"
        if image.colours is not None:
            tooltip += image.colours.tooltips.get(int(tree.node[rectangle.position]), "")
        css_class += " odd" if sum(name.encode()) % 2 else ""
    x_px, y_px = rectangle.x_px + MARGIN_PX, image.y_px(rectangle.depth)
    room = max(0.3, rectangle.width_px - 0.5)
    text = _shortened(name, room - 6)
    label_text = f'<text x="{x_px + 3:.2f}" y="{y_px + 12}">{escape(text)}</text>' if text else ""
    return (
        f'<g><title>{escape(tooltip)}</title><rect class="{css_class}" '
        f'x="{x_px:.2f}" y="{y_px}" width="{room:.2f}" height="{ROW_PX - 1}"/>'
        f"{label_text}</g>"
    )


def _shortened(text: str, room_px: float) -> str:
    """Return ``text`` cut to the width; empty if fewer than three characters fit."""
    fits = int(room_px / CHAR_PX)
    if len(text) <= fits:
        return text
    return f"{text[: fits - 1]}\u2026" if fits >= 3 else ""
