from harness.waits.locks_report import wait_lines
from tests.harness.waits.waits_results import cause, lock, waits_result


def test_the_short_report_has_the_first_causes_and_locks() -> None:
    causes = tuple(cause("thread", f"t{n}", 100 - n) for n in range(6))
    result = waits_result(causes=causes, locks=tuple(lock(address=hex(n)) for n in range(6)))
    text = "\n".join(wait_lines(result, 100, graph=False))
    assert "t2 (" in text
    assert "t3 (" not in text
    assert "3 further causes" in text
    assert "3 further locks" in text


def test_the_graph_has_all_causes_with_their_chains() -> None:
    causes = tuple(cause("thread", f"t{n}", 100 - n, ("a", 9), (f"t{n}", 8)) for n in range(30))
    text = "\n".join(wait_lines(waits_result(causes=causes), 100, graph=True))
    assert "a -> t29 8.00 ms" in text
    assert "further causes" not in text
