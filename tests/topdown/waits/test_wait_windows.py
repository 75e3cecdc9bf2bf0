from topdown.waits.wait_log import ModeLine, WaitLog, WindowLine
from topdown.waits.wait_windows import gaps_between, recorded_windows


def test_without_a_limit_there_are_no_windows_and_no_gaps() -> None:
    log = WaitLog(modes=(ModeLine(at_ns=5, mode="all"),))
    for source in (None, log):
        limited_from, windows = recorded_windows(source)
        assert limited_from is None
        assert len(windows) == 0
        assert gaps_between(limited_from, windows, 100) == ()


def test_the_time_outside_windows_is_without_records() -> None:
    log = WaitLog(
        modes=(ModeLine(at_ns=0, mode="all"), ModeLine(at_ns=10, mode="windows")),
        windows=(WindowLine(begin_ns=20, end_ns=25), WindowLine(begin_ns=40, end_ns=50)),
    )
    limited_from, windows = recorded_windows(log)
    assert limited_from == 10
    assert windows.tolist() == [[20, 25], [40, 50]]
    gaps = gaps_between(limited_from, windows, 60)
    assert [(gap.begin_ns, gap.end_ns) for gap in gaps] == [(10, 20), (25, 40), (50, 60)]


def test_windows_that_overlap_or_end_too_early_are_left_out() -> None:
    log = WaitLog(
        modes=(ModeLine(at_ns=10, mode="windows"),),
        windows=(
            WindowLine(begin_ns=5, end_ns=12),
            WindowLine(begin_ns=20, end_ns=30),
            WindowLine(begin_ns=25, end_ns=35),
            WindowLine(begin_ns=40, end_ns=40),
        ),
    )
    assert recorded_windows(log)[1].tolist() == [[20, 30]]


def test_readings_alone_leave_the_whole_period_without_records() -> None:
    log = WaitLog(modes=(ModeLine(at_ns=10, mode="ticks"),))
    limited_from, windows = recorded_windows(log)
    gaps = gaps_between(limited_from, windows, 60)
    assert [(gap.begin_ns, gap.end_ns) for gap in gaps] == [(10, 60)]
