"""Known answers for `stallscope diff`: a program with 500 functions, of which one is 3 % slower.

Bars: at most one of 20 pairs of equal recordings flags any frame, and the slower function has the
largest change in at least 9 of 10 pairs. The slow function is the same code with more iterations,
so that the placement of code does not differ.
"""

import tempfile
from itertools import pairwise
from pathlib import Path

from benchmarks.cases import Case, ours
from benchmarks.targets.many_functions import HOT, build, hot_iterations
from harness.diff.build import Compared, compare_rows
from harness.diff.frames import frame_rows
from harness.diff.options import DiffOptions
from harness.diff.rows import RowSums
from harness.profile.analysis import analyze
from harness.profile.recorder import record
from stallscope.collector import CollectorOptions

EQUAL_PAIRS = 20
SLOW_PAIRS = 10
SLOWER = 1.03
FREQUENCY_HZ = 9_999
EQUAL_ROUNDS = 2_500
SLOW_ROUNDS = 16_000


def run() -> list[Case]:
    """Record the pairs in alternating order, and compare them."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        folder = Path(name)
        program = build(folder)
        equal = [recorded(program, folder / f"e{n}", EQUAL_ROUNDS) for n in range(EQUAL_PAIRS + 1)]
        flags = 0
        for first, second in pairwise(equal):
            compared = compared_rows(first, second)
            assert compared.total is not None
            flags += bool(compared.own.flagged.any() or compared.total.flagged.any())
        print(f"{flags} of {EQUAL_PAIRS} equal pairs flag a frame", flush=True)
        first_places, flagged = 0, 0
        for number in range(SLOW_PAIRS):
            factors = (1.0, SLOWER) if number % 2 == 0 else (SLOWER, 1.0)
            sides = [
                recorded(program, folder / f"s{number}-{factor}", SLOW_ROUNDS, factor)
                for factor in factors
            ]
            a, b = sides if number % 2 == 0 else sides[::-1]
            compared = compared_rows(a, b)
            largest = int(abs(compared.own.delta).argmax())
            first_places += compared.keys[largest].name == HOT
            flagged += bool(compared.own.flagged[largest])
            print(
                f"pair {number + 1}: {compared.keys[largest].name} "
                f"{100 * compared.own.delta[largest]:+.2f} points",
                flush=True,
            )
    words = f"stallscope diff A B; {FREQUENCY_HZ} Hz"
    return [
        Case(
            name="equal recordings, 500 functions",
            metric="pairs of 20 that flag a frame",
            ours_command=words,
            bar=(ours(at_most=1),),
            ours=(float(flags),),
            exact=True,
        ),
        Case(
            name="one of 500 functions 3 % slower",
            metric="pairs of 10 in which it comes first",
            ours_command=words,
            bar=(ours(at_least=9),),
            ours=(float(first_places),),
            exact=True,
        ),
        Case(
            name="one of 500 functions 3 % slower",
            metric="pairs of 10 in which the first is flagged",
            ours_command=words,
            ours=(float(flagged),),
            exact=True,
        ),
    ]


def recorded(program: Path, output: Path, rounds: int, factor: float = 1.0) -> RowSums:
    """Return the frames of a run of the program."""
    recording, _ = record(
        CollectorOptions(
            output=output,
            command=(str(program), str(rounds), str(hot_iterations(factor))),
            frequency_hz=FREQUENCY_HZ,
            stacks="fp",
        )
    )
    return frame_rows(analyze(recording).profile, title=str(output))


def compared_rows(a: RowSums, b: RowSums) -> Compared:
    """Return the comparison by shares of samples."""
    return compare_rows(a, b, DiffOptions(Path("a"), Path("b")))
