"""Reads a data set by N parallel connections: ``zwrk.py LOAD PORT DATASET N``.

LOAD is the program stallscope-load, which sends the GET requests of all objects in a cycle. Prints
the time that an object read takes one of the connections: N divided by the rate of all.
"""

import json
import os
import subprocess
import sys

from objects import OBJECTS, key


def main(program: str, port: str, data_set: str, connections: str) -> None:
    """Run the load generator, and print one benchmark line."""
    # A file without a name: nothing is left behind if this process is killed.
    with open(os.memfd_create("requests"), "wb") as requests:
        for number in range(OBJECTS):
            name = key(data_set, number)
            requests.write(b"*2\r\n$3\r\nGET\r\n$%d\r\n%b\r\n" % (len(name), name))
        requests.flush()
        arguments = ["--target", f"127.0.0.1:{port}", "--connections", connections]
        arguments += [
            "--request-file",
            f"/dev/fd/{requests.fileno()}",
            "--warmup",
            "0",
            "--die-with-parent",
        ]
        arguments += ["--duration", "0.2" if OBJECTS >= 1000 else "0.02"]
        done = subprocess.run(
            [program, *arguments],
            stdout=subprocess.PIPE,
            check=True,
            pass_fds=(requests.fileno(),),
        )
    result = json.loads(done.stdout.splitlines()[-1])
    if result["errors"] or result["nil_replies"] or not result["requests"]:
        sys.exit(f"{result['errors']} errors, {result['nil_replies']} missing objects")
    time_ns = int(connections) / result["rate_achieved"] * 1e9
    print(f"BenchmarkRead {result['requests']} {time_ns:.0f} ns/op")


if __name__ == "__main__":
    main(*sys.argv[1:])
