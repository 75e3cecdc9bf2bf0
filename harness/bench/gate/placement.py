"""Code placement: what a gate's verdict covers.

Two builds of one source can differ by 0.5 % because functions lie at other addresses. Measured in
any order, such builds make false alarms in 33 % of the comparisons on a calm machine.
"""

from pathlib import Path

from stallscope.documents import Record

_CHUNK_BYTES = 1 << 20
MIN_BUILDS = 6  # fewer differences cannot reach a level of 2.5 %


class Placement(Record, frozen=True, kw_only=True):
    """Whether the verdict covers placement, and the reason."""

    covered: bool
    text: str


def placement_of(base: Path, head: Path, builds: int) -> Placement:
    """Return what is covered by a number of builds, or by equal program files."""
    if builds > 1:
        return Placement(covered=True, text=f"covered by {builds} builds of each side")
    if _equal_files(base, head):
        return Placement(
            covered=True, text="the programs are byte-identical; environment sizes are random"
        )
    return Placement(
        covered=False,
        text="not covered: two builds of one source can differ by 0.5 %; use --builds N with "
        "{build} in the commands",
    )


def _equal_files(first: Path, second: Path) -> bool:
    try:
        if first.samefile(second):
            return True
        if first.stat().st_size != second.stat().st_size:
            return False
        with first.open("rb") as left, second.open("rb") as right:
            while chunk := left.read(_CHUNK_BYTES):
                if chunk != right.read(_CHUNK_BYTES):
                    return False
    except OSError:
        return False
    return True
