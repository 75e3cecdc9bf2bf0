from harness.waits.ended_text import lines, plain_name
from harness.waits.result import EndedWait
from tests.harness.waits.waits_results import HOSTILE, MS

WAIT = EndedWait(
    thread="worker",
    functions=("lock", "work"),
    waker="redis-server",
    waker_functions=("handle_read", "io_thread"),
    wait_ns=20 * MS,
    waits=2,
)


def test_a_wait_has_its_place_and_the_call_chain_of_its_waker() -> None:
    assert list(lines([WAIT], "", 100)) == [
        "Longest waits, and what ended them (functions innermost first):",
        "   20.0 ms  worker in lock <- work",
        "            woken by redis-server: handle_read <- io_thread",
    ]


def test_call_chains_of_wakers_that_are_not_recorded_have_a_reason() -> None:
    text = "\n".join(lines([WAIT], "tracefs is not mounted; mount it", 100))
    assert "functions of wakers are unavailable: tracefs is not mounted; mount it" in text


def test_no_waits_have_no_lines() -> None:
    assert list(lines([], "a reason", 100)) == []


def test_hostile_names_cannot_change_the_terminal() -> None:
    hostile = EndedWait(
        thread=HOSTILE,
        functions=(HOSTILE,),
        waker=HOSTILE,
        waker_functions=(HOSTILE,),
        wait_ns=MS,
        waits=1,
    )
    assert "\x1b" not in "\n".join(lines([hostile], HOSTILE, 100))


def test_names_lose_the_list_of_their_parameters() -> None:
    assert plain_name("a::(anonymous namespace)::b<int>::c(int (*)(char), d) const") == (
        "a::(anonymous namespace)::b<int>::c"
    )
    assert plain_name("a::b(int) const volatile &") == "a::b"
    assert plain_name("operator()(int)") == "operator()"
    assert plain_name("main") == "main"
    assert plain_name("(anonymous namespace)") == "(anonymous namespace)"
