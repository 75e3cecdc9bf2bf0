"""Functions of collectors, and functions on the stacks of Java threads."""

from topdown.stacks.managed.collector_functions import collector_function, native_runtime, runs_java
from topdown.stacks.profile import Function, FunctionKind

JVM = "/usr/lib/jvm/lib/server/libjvm.so"


def test_a_function_counts_in_a_file_of_its_runtime_only() -> None:
    for module, expected in ((JVM, ("hotspot", "serial", "full")), ("/srv/app", None)):
        function = Function("MarkSweep::follow_stack()", module, FunctionKind.USER)
        assert collector_function(function, go_modules=frozenset()) == expected


def test_a_go_program_is_known_by_its_entry() -> None:
    assert native_runtime("/srv/app", frozenset({"/srv/app"})) == "go"
    assert native_runtime("/srv/app", frozenset()) == ""


def test_threads_that_run_java_are_known_by_their_entry() -> None:
    assert runs_java(Function("JavaThread::run()", JVM, FunctionKind.USER))
    assert runs_java(Function("Main.main", "Main.java", FunctionKind.JAVA))
    assert not runs_java(Function("JavaThread::oops_do(OopClosure*)", JVM, FunctionKind.USER))
    assert not runs_java(Function("[garbage collection: G1]", "[hotspot]", FunctionKind.JAVA))
