"""The picture of scalability."""

import xml.etree.ElementTree as ET

from harness.bench.plots.scalability import (
    BoundLine,
    MeasuredPoint,
    ModelCurve,
    Scalability,
    scalability_picture,
)

POINTS = [MeasuredPoint(n, 100 * n / (1 + 0.1 * n), 95.0, 200 * n) for n in (1, 2, 3, 4, 8)]
CURVE = ModelCurve(
    "USL", [1, 4, 8], [90, 280, 440], [80, 270, 400], [95, 290, 480], [1, -1, 0, 2, -2]
)
LINEAR = BoundLine("linear", [1, 8], [100, 800])


def _picture(file_format: str = "svg") -> bytes:
    return scalability_picture(
        Scalability(POINTS, [CURVE], [LINEAR], title="a $b$", peak=6.0), file_format
    )


def test_curves_bounds_points_and_residuals_are_named() -> None:
    texts = "".join(ET.fromstring(_picture()).itertext())
    for text in ("USL", "linear", "median and range", "residual, %", "threads", "a $b$"):
        assert text in texts


def test_equal_data_give_equal_bytes() -> None:
    assert _picture() == _picture()
    assert _picture("png") == _picture("png")
    assert b"Creator" not in _picture()
    assert b"<dc:date>" not in _picture()


def test_nothing_measured_is_written_into_the_picture() -> None:
    assert b"not measured" in scalability_picture(Scalability([]), "svg")


def test_neighbouring_counts_share_a_tick() -> None:
    points = [MeasuredPoint(n, n, n, n) for n in range(1, 33)]
    texts = list(ET.fromstring(scalability_picture(Scalability(points), "svg")).itertext())
    assert "32" not in texts or "31" not in texts
