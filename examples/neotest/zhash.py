"""Reads all objects of a data set, one after the other: ``zhash.py PORT DATASET sha1|crc32|none``.

Prints the time per object read as a benchmark line.
"""

import hashlib
import sys
import time
import zlib

from objects import OBJECTS, Connection, key

MIN_S = 0.1


def main(port: int, data_set: str, function: str) -> None:
    """Read the data set in whole passes, for at least 0.1 s if it is not shortened."""
    connection = Connection(port)
    names = [key(data_set, number) for number in range(OBJECTS)]
    digest, checksum, reads = hashlib.sha1(), 0, 0
    begin = time.perf_counter()
    end = begin
    while reads == 0 or (end - begin < MIN_S and OBJECTS >= 1000):
        for name in names:
            value = connection.get(name)
            if function == "sha1":
                digest.update(value)
            elif function == "crc32":
                checksum = zlib.crc32(value, checksum)
        reads += len(names)
        end = time.perf_counter()
    print(f"BenchmarkRead {reads} {(end - begin) / reads * 1e9:.0f} ns/op")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], sys.argv[3])
