"""A document of ."""

from typing import Any

SETTING = {
    "test": "timer",
    "kind": "timer",
    "think_us": 100.0,
    "processes": 1,
    "states": "as it is",
    "closed": [],
    "limit_us": None,
    "samples": 5,
    "latency_us": {"p50": 5.0, "p90": 6.0, "p99": 9.0, "p99.9": 9.0, "max": 9.0},
    "rounds_p50_us": [5.0],
    "histogram_ns": [[1.0, 2.0, 5]],
    "entries": {"C1": 4},
}

LATENCY: dict[str, Any] = {
    "schema": "stallscope.cstates.latency/1",
    "source": "measured",
    "cpus": [0],
    "rounds": 1,
    "seconds": 0.1,
    "results": [SETTING],
    "verdicts": [
        {
            "test": "timer",
            "states": "C1",
            "closed": ["C6"],
            "gain_us": 1.0,
            "min_us": 0.5,
            "max_us": 2.0,
            "finding": "less",
            "text": "gains",
        }
    ],
    "notes": ["x"],
}
