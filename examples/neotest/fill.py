"""Stores both data sets in the server at a port: ``fill.py PORT``; fails if it is not ready."""

import sys

from objects import DATA_SETS, OBJECTS, Connection, content, key


def main(port: int) -> None:
    """Store every object, and read back the last one of each data set."""
    try:
        connection = Connection(port)
    except OSError as error:
        sys.exit(f"the server is not ready: {error}")
    for data_set in DATA_SETS:
        connection.set_all((key(data_set, n), content(data_set, n)) for n in range(OBJECTS))
        last = OBJECTS - 1
        if connection.get(key(data_set, last)) != content(data_set, last):
            sys.exit(f"{data_set}: the last object differs from what was stored")


if __name__ == "__main__":
    main(int(sys.argv[1]))
