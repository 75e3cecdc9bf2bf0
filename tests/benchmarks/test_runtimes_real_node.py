"""Times of functions from profiles of V8 and from folded stacks."""

from typing import Any

from benchmarks.runtimes_real_node import folded_times, reference_times


def node(number: int, name: str, *children: int, url: str = "/a.js") -> dict[str, Any]:
    return {"id": number, "callFrame": {"functionName": name, "url": url}, "children": children}


def test_time_of_functions_without_name_or_script_is_their_callers() -> None:
    nodes = [
        node(1, "(root)", 2, 6, url=""),
        node(2, "main", 3, 4, 5),
        node(3, ""),
        node(4, "RegExp: a", url=""),
        node(5, "writev", url=""),
        node(6, "(idle)", url=""),
    ]
    document = {"nodes": nodes, "samples": [2, 3, 4, 5, 6], "timeDeltas": [1, 2, 4, 8, 16]}
    assert reference_times(document) == {"main": 7}


def test_folded_stacks_count_for_the_innermost_known_function() -> None:
    text = "node;main;sort;memcpy 3\nnode;main;[garbage collection];sort 5\nnode;other 7\n"
    assert folded_times(text, frozenset({"main", "sort"})) == {"sort": 3}
