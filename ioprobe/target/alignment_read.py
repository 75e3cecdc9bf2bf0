"""The program that reads a disk once, in a process of its own: a disk that hangs then hangs it.

Run by its path, with what is read as its standard input: it imports nothing of ours.
"""

import errno
import mmap
import os
import sys

_ALIGNMENTS = (512, 1024, 2048, 4096)


def main() -> None:
    """Print each size before it is read, the smallest that is taken last.

    A read that fails says no more of that: it will fail in the measurement.
    """
    with mmap.mmap(-1, _ALIGNMENTS[-1]) as page:
        for size in _ALIGNMENTS[:-1]:
            _tell(size)
            try:
                with memoryview(page) as view, view[:size] as part:
                    os.preadv(sys.stdin.fileno(), [part], size)
            except OSError as error:
                if error.errno == errno.EINVAL:
                    continue
                break
            return
    _tell(_ALIGNMENTS[-1])


def _tell(size: int) -> None:
    os.write(sys.stdout.fileno(), b"%d\n" % size)


if __name__ == "__main__":
    main()
