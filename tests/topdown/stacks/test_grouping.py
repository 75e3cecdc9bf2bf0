"""Modules of functions, and profiles grouped by them."""

import numpy as np
import pytest
from msgspec.structs import replace

from tests.topdown.stacks.test_ranking import profile_of
from topdown.stacks.grouping import grouped_by_module, module_of_function
from topdown.stacks.profile import Function, FunctionKind
from topdown.stacks.ranking import rank


@pytest.mark.parametrize(
    ("name", "file", "kind", "module"),
    [
        ("java.util.HashMap.get", "HashMap.java", "JAVA", "java.util"),
        ("org.h2.Db$$Lambda/0x01ab.run", "", "JAVA", "org.h2"),
        ("Main.<init>", "Main.java", "JAVA", "Main"),
        ("[garbage collection: G1]", "[hotspot]", "JAVA", "[hotspot]"),
        ("get", "/srv/node_modules/a/node_modules/@s/b/i.js", "JAVASCRIPT", "@s/b"),
        ("get", "file:///srv/node_modules/express/lib/router.mjs", "JAVASCRIPT", "express"),
        ("emit", "node:events", "JAVASCRIPT", "node:events"),
        ("run", "node:internal/modules/run_main", "JAVASCRIPT", "node:modules"),
        ("get", "/srv/app.js", "JAVASCRIPT", "/srv/app.js"),
        ("get", "/v/lib/python3.11/site-packages/flask/app.py", "PYTHON", "flask"),
        ("get", "/usr/lib/python3/dist-packages/six.py", "PYTHON", "six"),
        ("loads", "/usr/lib/python3.11/json/decoder.py", "PYTHON", "json"),
        ("_load", "<frozen importlib._bootstrap>", "PYTHON", "importlib"),
        ("main", "/srv/app.py", "PYTHON", "/srv/app.py"),
        ("call", "/var/gems/rack-proxy-2.2.4/lib/rack.rb", "RUBY", "rack-proxy"),
        ("each", "/usr/lib/ruby/3.1.0/set.rb", "RUBY", "set"),
        ("run", "/srv/vendor/symfony/http/Kernel.php", "PHP", "symfony/http"),
        ("malloc", "/usr/lib/libc.so.6", "USER", "libc.so.6"),
        ("libc.so.6+0x10", "/usr/lib/libc.so.6", "UNKNOWN", "libc.so.6"),
        ("do_idle", "[kernel]", "KERNEL", "[kernel]"),
    ],
)
def test_a_function_belongs_to_the_module_that_a_reader_knows(
    name: str, file: str, kind: str, module: str
) -> None:
    assert module_of_function(Function(name, file, FunctionKind[kind])).name == module


def test_code_with_and_without_symbols_belongs_to_the_same_object() -> None:
    kinds = (FunctionKind.USER, FunctionKind.INLINED, FunctionKind.UNKNOWN)
    assert len({module_of_function(Function("f", "/lib/a.so", kind)) for kind in kinds}) == 1


def test_equal_names_of_two_languages_are_two_modules() -> None:
    python = Function("f", "/usr/lib/python3.11/json/decoder.py", FunctionKind.PYTHON)
    ruby = Function("f", "/usr/lib/ruby/3.1.0/json/common.rb", FunctionKind.RUBY)
    assert module_of_function(python).name == module_of_function(ruby).name == "json"
    assert module_of_function(python) != module_of_function(ruby)


def test_a_module_that_calls_itself_counts_once_in_its_total() -> None:
    profile = profile_of([0, 1, 2], [1, 2, 3], [(1, 0, 5), (2, 0, 7), (3, 1, 8)])
    modules = ("a", "b", "a")
    functions = [profile.functions[0]]
    functions += [Function(f"f{i}", module, FunctionKind.USER) for i, module in enumerate(modules)]
    profile = replace(profile, functions=tuple(functions))
    grouped = grouped_by_module(profile)
    ranked = {
        grouped.functions[row.index].name: (row.self_value, row.total_value)
        for row in rank(grouped).functions
    }
    assert ranked == {"a": (13, 20), "b": (7, 15)}
    assert np.array_equal(profile.node_function, [0, 1, 2, 3])
