"""The result of one check."""

from harness.machine_checks.check import Check, Status, available, limited, unavailable


def test_a_check_has_the_status_of_its_constructor_and_no_remedy_by_default() -> None:
    assert available("x", "works") == Check("x", Status.AVAILABLE, "works", "")
    assert limited("x", "partly").status is Status.LIMITED
    assert unavailable("x", "no", "enable it") == Check("x", Status.UNAVAILABLE, "no", "enable it")
