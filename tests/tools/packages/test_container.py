"""The privileges of each case reach the runtime, and nothing else does."""

from tools.packages.container import CASES, Case, _configured

ORIGINAL = {
    "process": {"args": ["x"], "terminal": True, "capabilities": {"bounding": ["CAP_KILL"]}},
    "linux": {"namespaces": [{"type": "pid"}, {"type": "mount"}], "seccomp": {}},
}


def test_a_case_has_its_capabilities_only() -> None:
    configured = _configured(ORIGINAL, Case("x", (), ("CAP_PERFMON",)), ["doctor"])
    assert configured["process"]["args"] == ["/usr/bin/stallscope", "doctor"]
    assert set(map(tuple, configured["process"]["capabilities"].values())) == {("CAP_PERFMON",)}
    assert {item["type"] for item in configured["linux"]["namespaces"]} == {"pid", "mount"}
    assert "seccomp" not in configured["linux"]


def test_a_case_that_observes_the_host_has_its_processes() -> None:
    configured = _configured(ORIGINAL, Case("x", (), host_pids=True, filtered=True), [])
    assert [item["type"] for item in configured["linux"]["namespaces"]] == ["mount"]
    (filtered,) = configured["linux"]["seccomp"]["syscalls"]
    assert filtered["names"] == ["perf_event_open"]


def test_no_case_has_more_than_two_capabilities() -> None:
    allowed = {"CAP_PERFMON", "CAP_SYS_PTRACE"}
    assert all(set(case.capabilities) <= allowed for case in CASES)
