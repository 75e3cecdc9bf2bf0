"""From the words of a command line to what `stallscope io curve` is asked."""

import re
from typing import Any

from harness.io.curve.document import Requests
from harness.io.curve.session import CurveRequest
from harness.io.verb_options import check_force
from ioprobe.curve.plan import CurvePlan
from stallscope.errors import UsageError
from stallscope.sizes import parse_size

_TIME = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,6})?)(ns|us|µs|ms|s)")
_NS = {"ns": 1, "us": 10**3, "µs": 10**3, "ms": 10**6, "s": 10**9}


def curve_request(path: str, values: dict[str, Any]) -> CurveRequest:
    """Return what is asked; UsageError for words that are no sizes or times."""
    check_force(values["output"], force=values["force"])
    requests = Requests(
        size_of("--block", values["block"]), values["pattern"], values["kind"] == "writes"
    )
    plan = CurvePlan(
        most_depth=values["most_depth"],
        repeats=values["repeats"],
        duration_s=values["duration_s"],
        warmup_s=values["warmup_s"],
        slo_p99_ns=time_ns("--slo-p99", values["slo_p99"]),
    )
    return CurveRequest(
        path=path,
        plan=plan,
        requests=requests,
        size_bytes=size_of("--size", values["size"]),
        span_bytes=None if values["span"] is None else size_of("--span", values["span"]),
        destroy=values["destroy"],
        output=values["output"],
        properties=values["properties"],
        force=values["force"],
    )


def size_of(option: str, text: str) -> int:
    """Return a size in bytes; UsageError where the text is none."""
    found = parse_size(text)
    if not found:
        raise UsageError(f"{option} {text!r} is no size", f"for example: {option} 4K")
    return found


def time_ns(option: str, text: str | None) -> float | None:
    """Return a time in ns; None without one, UsageError where the text is none."""
    if text is None:
        return None
    found = _TIME.fullmatch(text.strip())
    time = float(found[1]) * _NS[found[2]] if found else 0.0
    if time <= 0:
        raise UsageError(f"{option} {text!r} is no time", f"for example: {option} 2ms")
    return time
