"""The period that a recording and the account of its program have in common."""

from harness.labs.waits.account_period import account_within, common_period
from harness.labs.waits.waiting_programs import AccountReading, RunAccount, ThreadAccount

MS = 1_000_000


def thread(tid: int, *rows: tuple[int, int, int]) -> ThreadAccount:
    """Return the account of a thread with readings of (time, running, sleep) in milliseconds."""
    readings = tuple(
        AccountReading(at_ns=at * MS, states_ns={"running": run * MS, "sleep": sleep * MS})
        for at, run, sleep in rows
    )
    return ThreadAccount(tid, "worker", 0, readings[-1].states_ns, readings)


def test_the_period_is_between_readings_of_all_threads_within_the_recording() -> None:
    account = RunAccount(
        0, (thread(1, (100, 0, 0), (1000, 500, 400)), thread(2, (110, 0, 0), (990, 400, 480)))
    )
    assert common_period(account, 0, 5000 * MS) == (110 * MS, 990 * MS)
    assert common_period(account, 500 * MS, 5000 * MS) is None
    assert common_period(RunAccount(0), 0, 5000 * MS) is None


def test_the_account_of_a_period_leaves_out_the_rest_of_the_run() -> None:
    rows = ((0, 0, 0), (1000, 1000, 0), (2000, 1000, 1000), (3000, 2000, 1000))
    account = account_within(RunAccount(0, (thread(1, *rows),)), (1000 * MS, 2500 * MS))
    assert account.elapsed_ns == 1500 * MS
    assert account.threads[0].wall_ns == 1500 * MS
    assert account.threads[0].states_ns == {"running": 500 * MS, "sleep": 1000 * MS}
