"""Weights of the confidence of findings: python -m benchmarks.confidence_fit FILE...

Reads documents of `stallscope lab diagnose --json`. Prints the weights for
harness/diagnose/confidence.py, fitted to all of them, and the Brier score of confidences that were
fitted without the program to which they are applied.
"""

import sys
from pathlib import Path

from harness.labs.diagnose.confidence_fit import checked_fit, fitted_weights, judged_findings
from harness.labs.diagnose.result import DiagnoseLabResult
from stallscope.documents import read_document


def main(names: list[str]) -> int:
    """Print weights and scores."""
    rows = judged_findings(read_document(Path(name), DiagnoseLabResult) for name in names)
    if not rows:
        sys.stderr.write("no judged finding in the documents\n")
        return 2
    check = checked_fit(rows)
    weights = ", ".join(f"{weight:.3f}" for weight in fitted_weights(rows))
    sys.stdout.write(
        f"WEIGHTS = ({weights})\n"
        f"{check.findings} findings, {check.true} true\n"
        f"Brier score on programs that were left out: {check.brier:.4f}\n"
        f"of a constant fitted to the others: {check.constant:.4f}\n"
        f"of the ratings without calibration: {check.uncalibrated:.4f}\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
