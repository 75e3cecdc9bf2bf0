"""Ctrl-C during a measurement."""

import os
import signal
import threading

import pytest

from stallscope.interrupts import count_interrupts


def press_ctrl_c() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def test_the_first_ctrl_c_calls_the_handler_and_the_block_goes_on() -> None:
    calls: list[str] = []
    before = signal.getsignal(signal.SIGINT)
    with count_interrupts(lambda: calls.append("stop")) as interrupts:
        press_ctrl_c()
        assert interrupts.count == 1
    assert calls == ["stop"]
    assert signal.getsignal(signal.SIGINT) is before


def test_the_second_ctrl_c_aborts_and_later_signals_are_ignored() -> None:
    before = signal.getsignal(signal.SIGINT)
    try:
        with count_interrupts():
            press_ctrl_c()
            with pytest.raises(KeyboardInterrupt):
                press_ctrl_c()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        press_ctrl_c()
    finally:
        signal.signal(signal.SIGINT, before)


def test_outside_the_main_thread_signals_are_not_touched() -> None:
    before = signal.getsignal(signal.SIGINT)
    handlers: list[object] = []

    def run() -> None:
        with count_interrupts():
            handlers.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert handlers == [before]
