"""Small SVG plots for a page: axes with ticks, lines and bars. No script is needed."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from harness.page.document import fragment

WIDTH, HEIGHT = 460, 250
_LEFT, _RIGHT, _TOP, _BOTTOM = 62, 12, 10, 40
_FRAME = {"width": WIDTH, "height": HEIGHT, "left": _LEFT, "top": _TOP, "right": WIDTH - _RIGHT,
          "base": HEIGHT - _BOTTOM}  # fmt: skip


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

    def line(self, points: Sequence[tuple[float, float]], look: str) -> "Line":
        """Return a line through the points."""
        coordinates = (self.point(*pair) for pair in points)
        return Line(" ".join(f"{x:.1f},{y:.1f}" for x, y in coordinates), look)

    def bars(self, spans: Sequence[tuple[float, float, float]], look: str) -> list["Box"]:
        """Return bars on the x axis; a span is (start, end, height)."""
        boxes = [
            self.box((low, self.y.low), (high, value), f"plot-bar {look}")
            for low, high, value in spans
        ]
        return [replace(box, width=max(box.width, 0.5)) for box in boxes if box.height > 0]

    def box(
        self,
        low: tuple[float, float],
        high: tuple[float, float],
        look: str,
        opacity: float | None = None,
    ) -> "Box":
        """Return a filled box between two pairs of values; ``look`` is a class."""
        left, bottom = self.point(*low)
        right, top = self.point(*high)
        return Box(left, top, right - left, bottom - top, look, opacity)

    def drawn(self, *shapes: "Line | Box") -> Markup:
        """Return the whole plot: ticks, titles and shapes."""
        return fragment("harness.page/plot.html", plot=self, shapes=shapes, frame=_FRAME)


@dataclass(frozen=True, slots=True)
class Line:
    """A line through pixels; ``look`` is its class."""

    coordinates: str
    look: str


@dataclass(frozen=True, slots=True)
class Box:
    """A filled box, in pixels."""

    left: float
    top: float
    width: float
    height: float
    look: str
    opacity: float | None


@dataclass(frozen=True, slots=True)
class Figure:
    """A plot with the text below it."""

    plot: Markup
    caption: str


def round_ticks(high: float, most: int = 5) -> tuple[Tick, ...]:
    """Return about ``most`` ticks from 0 to ``high``, in steps of 1, 2 or 5 times a power of 10."""
    if high <= 0:
        return (Tick(0, "0"),)
    power = 10 ** math.floor(math.log10(high / most))
    step = next(step * power for step in (1, 2, 5, 10) if high / (step * power) <= most)
    return tuple(Tick(n * step, count_text(n * step)) for n in range(int(high / step + 1e-9) + 1))


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
