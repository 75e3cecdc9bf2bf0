"""The round trip of a wake-up on this machine after a pause, by stallscope-wake."""

from harness.workload.process import decode_line, exit_error, running_program
from stallscope.documents import Amount, Record

PROGRAM = "stallscope-wake"


class _Latency(Record, frozen=True):
    p50: Amount


class _WakeReport(Record, frozen=True, kw_only=True):
    latency_us: _Latency


def wake_round_trip_us(pause_us: float, duration_s: float, *, kind: str, cpus: str) -> float:
    """Return the median round trip of a request over ``kind`` to a sleeping process.

    Raises UnableError or TargetError with the program's reason if it fails.
    """
    arguments = ["--kind", kind, "--think-us", f"{pause_us:g}", "--duration", f"{duration_s:g}"]
    arguments += ["--cpus", cpus] if cpus else []
    with running_program(PROGRAM, (*arguments, "--die-with-parent")) as child:
        line = child.stdout.readline()
        child.process.wait()
        if child.process.returncode:
            raise exit_error(child)
        return decode_line(line, _WakeReport, PROGRAM).latency_us.p50
