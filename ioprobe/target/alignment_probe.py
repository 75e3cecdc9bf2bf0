"""A program that finds the alignment of direct reads, in a process that may hang with the disk.

It is run by its path, with the file to read as its standard input, and imports only the standard
library.
"""

import errno
import mmap
import os
import sys

_ALIGNMENTS = (512, 1024, 2048, 4096)


def main() -> None:
    """Print each size before it is tried; the last printed size is the smallest that works.

    A read that fails for another reason than its size gives the largest; the measurement will
    report the failure.
    """
    with mmap.mmap(-1, _ALIGNMENTS[-1]) as page:
        for size in _ALIGNMENTS[:-1]:
            _print(size)
            try:
                with memoryview(page) as view, view[:size] as block:
                    os.preadv(sys.stdin.fileno(), [block], size)
            except OSError as error:
                if error.errno == errno.EINVAL:
                    continue
                break
            return
    _print(_ALIGNMENTS[-1])


def _print(size: int) -> None:
    os.write(sys.stdout.fileno(), b"%d\n" % size)


if __name__ == "__main__":
    main()
