"""Recognition of runtimes by the names of mapped files."""

import pytest

from topdown.stacks.managed.remedies import REMEDIES, remedy_for, runtime_of_file


@pytest.mark.parametrize(
    ("path", "runtime"),
    [
        (b"/usr/bin/node", "v8"),
        (b"/usr/lib/jvm/lib/server/libjvm.so", "hotspot"),
        (b"/usr/bin/php8.2", "php"),
        (b"/usr/lib/x86_64-linux-gnu/libruby-3.1.so.3.1.7", "ruby"),
        (b"/usr/bin/mono-sgen", "mono"),
        (b"/usr/bin/nodes", ""),
        (b"/usr/bin/cat", ""),
        (b"//anon", ""),
    ],
)
def test_runtimes_are_recognised_by_their_files(path: bytes, runtime: str) -> None:
    assert runtime_of_file(path) == runtime
    assert bool(remedy_for(runtime)) == bool(runtime)


def test_each_remedy_is_a_single_line() -> None:
    assert all("\n" not in text for text in REMEDIES.values())
