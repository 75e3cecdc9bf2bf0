"""Managed runtimes in words."""

from harness.profile.runtime_result import RuntimeResult
from harness.profile.runtime_text import runtime_text


def test_named_samples_reasons_and_tiers_are_shares() -> None:
    runtime = RuntimeResult(
        name="v8",
        version="11.3.244",
        samples=200,
        named=190,
        failed={"late": 10},
        tiers={"turbofan": 75, "interpreted": 25},
        works={},
    )
    assert runtime_text(runtime) == (
        "95.0 % of 200 samples of V8 (JavaScript) 11.3.244 have all names; 5.0 %: late; "
        "code: 75.0 % turbofan, 25.0 % interpreted"
    )


def test_a_runtime_without_samples_has_no_shares() -> None:
    runtime = RuntimeResult(
        name="hotspot", version="21.0.4", samples=0, named=0, failed={}, tiers={}, works={}
    )
    assert runtime_text(runtime) == "HotSpot (Java) 21.0.4: no samples"


def test_the_own_threads_of_a_virtual_machine_are_shares_of_all_samples() -> None:
    runtime = RuntimeResult(
        name="hotspot",
        version="21",
        samples=200,
        named=200,
        failed={},
        tiers={},
        works={"[garbage collection: G1]": 50},
    )
    assert runtime_text(runtime).endswith("; its own threads: 25.0 % garbage collection: G1")
