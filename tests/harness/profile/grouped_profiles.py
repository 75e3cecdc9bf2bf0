"""A profile of three modules, with a hostile name."""

from msgspec.structs import replace

from harness.profile.analysis import Analysis
from tests.topdown.stacks.test_ranking import profile_of
from topdown.stacks.grouping import grouped_by_module
from topdown.stacks.profile import Function, FunctionKind
from topdown.stacks.ranking import rank


def analysis_with_modules() -> Analysis:
    profile = profile_of([0, 1, 2], [1, 2, 3], [(1, 0, 5), (2, 0, 7), (3, 1, 8)])
    functions = (
        profile.functions[0],
        Function("java.util.HashMap.get", "HashMap.java", FunctionKind.JAVA),
        Function("java.util.HashMap.hash", "HashMap.java", FunctionKind.JAVA),
        Function("memcpy", "/lib/<b>\x1b.so", FunctionKind.USER),
    )
    profile = replace(profile, functions=functions)
    return Analysis(profile, rank(profile), modules=grouped_by_module(profile))
