"""Rounds of Python work for so many seconds: prints rounds, CPU seconds and wall seconds."""

import sys
import time


def square(count):
    """Return a sum of squares."""
    total = 0
    for number in range(count):
        total += number * number
    return total


def numbers():
    """Yield numbers, as a generator."""
    for number in range(50):
        yield square(number)


def deep(depth):
    """Return the same from some calls deeper."""
    return deep(depth - 1) if depth else sum(numbers())


def key(number):
    """Return a key to sort by, called from C."""
    return -number


def one_round():
    """Return nothing of use."""
    return sorted(range(200), key=key)[0] + deep(20)


def main(seconds):
    """Run rounds for so long."""
    print("ready", flush=True)
    begin, cpu, rounds = time.monotonic(), time.process_time(), 0
    while time.monotonic() - begin < seconds:
        one_round()
        rounds += 1
    print(rounds, time.process_time() - cpu, time.monotonic() - begin)


if __name__ == "__main__":
    main(float(sys.argv[1]))
