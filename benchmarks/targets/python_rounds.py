"""Run rounds of Python work for N seconds; print rounds, CPU seconds and wall seconds."""

import sys
import time
from collections.abc import Iterator


def square(count: int) -> int:
    """Return a sum of squares."""
    total = 0
    for number in range(count):
        total += number * number
    return total


def numbers() -> Iterator[int]:
    """Yield numbers, as a generator."""
    for number in range(50):
        yield square(number)


def deep(depth: int) -> int:
    """Return the sum of the numbers, from deeper in the stack."""
    return deep(depth - 1) if depth else sum(numbers())


def key(number: int) -> int:
    """Return a sort key; called from C."""
    return -number


def one_round() -> int:
    """Do one round of work."""
    return sorted(range(200), key=key)[0] + deep(20)


def main(seconds: float) -> None:
    """Run rounds until the time is over."""
    print("ready", flush=True)
    begin, cpu, rounds = time.monotonic(), time.process_time(), 0
    while time.monotonic() - begin < seconds:
        one_round()
        rounds += 1
    print(rounds, time.process_time() - cpu, time.monotonic() - begin)


if __name__ == "__main__":
    main(float(sys.argv[1]))
