"""Shares of Python frames."""

from dataclasses import replace

from topdown.stacks.python.shares import PythonShares

SHARES = PythonShares(
    versions=("3.11.2",), trampolined=0, samples=1000, framed=940, native=30, moved_on=20,
    unread=10, torn=4, late=3, gil_held=470, gil_known=940,
)  # fmt: skip

NONE = replace(
    SHARES, versions=(), samples=0, framed=0, native=0, moved_on=0, unread=0, gil_held=0,
    gil_known=0,
)  # fmt: skip
