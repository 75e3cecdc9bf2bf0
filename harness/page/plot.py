"""Small SVG plots for a page: axes with ticks, lines and bars. No script is needed."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from harness.page.document import escaped

WIDTH, HEIGHT = 460, 250
_LEFT, _RIGHT, _TOP, _BOTTOM = 62, 12, 10, 40


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark on an axis, in the unit of the axis, with its label."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis from ``low`` to ``high``; both are positive if it is logarithmic."""

    low: float
    high: float
    title: str
    ticks: tuple[Tick, ...]
    logarithmic: bool = False

    def place(self, value: float) -> float:
        """Return the position of a value on the axis, limited to 0..1."""
        low, high = self.low, self.high
        if self.logarithmic:
            low, high, value = math.log10(low), math.log10(high), math.log10(max(value, self.low))
        share = (value - low) / (high - low) if high > low else 0.5
        return min(max(share, 0.0), 1.0)


@dataclass(frozen=True, slots=True)
class Plot:
    """A plot: two axes, and a label for screen readers."""

    x: Axis
    y: Axis
    label: str

    def point(self, x: float, y: float) -> tuple[float, float]:
        """Return the pixel coordinates of a pair of values."""
        return (
            _LEFT + self.x.place(x) * (WIDTH - _LEFT - _RIGHT),
            HEIGHT - _BOTTOM - self.y.place(y) * (HEIGHT - _TOP - _BOTTOM),
        )

    def line(self, points: Sequence[tuple[float, float]], look: str) -> str:
        """Return a line through the points."""
        coordinates = " ".join(
            f"{x:.1f},{y:.1f}" for x, y in (self.point(*pair) for pair in points)
        )
        return f'<polyline class="plot-line {look}" points="{coordinates}"/>'

    def bars(self, spans: Sequence[tuple[float, float, float]], look: str) -> str:
        """Return bars on the x axis; a span is (start, end, height)."""
        parts = []
        for low, high, value in spans:
            left, top = self.point(low, value)
            right, bottom = self.point(high, self.y.low)
            if bottom - top > 0:
                parts.append(
                    f'<rect class="plot-bar {look}" x="{left:.1f}" y="{top:.1f}" '
                    f'width="{max(right - left, 0.5):.1f}" height="{bottom - top:.1f}"/>'
                )
        return "".join(parts)

    def drawn(self, *content: str) -> str:
        """Return the whole plot: ticks, titles and content."""
        base = HEIGHT - _BOTTOM
        head = (
            f'<svg class="plot" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
            f'aria-label="{escaped(self.label)}">'
        )
        titles = (
            f'<text class="plot-title" text-anchor="middle" x="{(_LEFT + WIDTH - _RIGHT) / 2}" '
            f'y="{HEIGHT - 6}">{escaped(self.x.title)}</text>'
            f'<text class="plot-title" text-anchor="middle" transform="translate(12 '
            f'{(_TOP + base) / 2}) rotate(-90)">{escaped(self.y.title)}</text>'
        )
        ticks = [self._x_tick(tick) for tick in self.x.ticks]
        ticks += [self._y_tick(tick) for tick in self.y.ticks]
        return "".join([head, *ticks, titles, *content, "</svg>"])

    def _x_tick(self, tick: Tick) -> str:
        x, base = self.point(tick.at, self.y.low)
        return (
            f'<line class="plot-grid" x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP}" y2="{base:.1f}"/>'
            f'<text class="plot-tick" text-anchor="middle" x="{x:.1f}" y="{base + 14:.1f}">'
            f"{escaped(tick.text)}</text>"
        )

    def _y_tick(self, tick: Tick) -> str:
        x, y = self.point(self.x.low, tick.at)
        return (
            f'<line class="plot-grid" x1="{x:.1f}" x2="{WIDTH - _RIGHT}" y1="{y:.1f}" '
            f'y2="{y:.1f}"/><text class="plot-tick" text-anchor="end" x="{x - 6:.1f}" '
            f'y="{y + 4:.1f}">{escaped(tick.text)}</text>'
        )


def round_ticks(high: float, most: int = 5) -> tuple[Tick, ...]:
    """Return about ``most`` ticks from 0 to ``high``, in steps of 1, 2 or 5 times a power of 10."""
    if high <= 0:
        return (Tick(0, "0"),)
    power = 10 ** math.floor(math.log10(high / most))
    step = next(step * power for step in (1, 2, 5, 10) if high / (step * power) <= most)
    return tuple(Tick(n * step, count_text(n * step)) for n in range(int(high / step) + 1))


def count_text(value: float) -> str:
    """Return a count in a few characters, with the suffix k or M."""
    for scale, suffix in ((1e6, "M"), (1e3, "k")):
        if value >= scale:
            return f"{value / scale:.3g}{suffix}"
    return f"{value:.3g}"


def decade_ticks(low: float, high: float, text: Mapping[int, str]) -> tuple[Tick, ...]:
    """Return ticks at those powers of ten that ``text`` names, between two values."""
    return tuple(
        Tick(10.0**power, name) for power, name in text.items() if low <= 10.0**power <= high
    )
