"""Results of comparisons with known differences."""

from cstates.comparison.candidates import BASELINE, CONTROL, Candidate, CandidateSet
from cstates.comparison.differences import ComparedRun, compare
from cstates.pinning.request import PinRequest
from harness.cstates.compare.options import CStatesCompareOptions
from harness.cstates.compare.result import CStatesCompareResult, compare_result


def result_of(
    values: dict[str, float],
    *,
    steadiness: float = 100,
    others_s: float | None = None,
    entries: int = 9,
) -> CStatesCompareResult:
    """Return the result of ten slowly increasing runs per setting on a single CPU."""
    runs = [
        ComparedRun(
            name,
            1.0,
            {"wall_s": value + n / steadiness},
            {"C1": entries},
            without_effect=name == "fast" and n < 2,
            cpus=1,
            others_s=others_s,
        )
        for name, value in values.items()
        for n in range(10)
    ]
    chosen = tuple(Candidate(name, PinRequest()) for name in values)
    options = CStatesCompareOptions(CandidateSet(chosen, (("x", "why"),)), ("cmd",), None, 10, 1)
    comparison = compare(list(values), runs)
    return compare_result(options, comparison, {}, ("a note",), rounds=10, interrupted=False)


SAME = {BASELINE: 2.0, CONTROL: 2.0, "same": 2.0}
