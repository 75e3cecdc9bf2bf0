"""Functions grouped by module: Java package, npm package or script, Python package, object.

The rules follow the places where package managers install: node_modules/NAME, site-packages/NAME,
gems/NAME-VERSION and vendor/OWNER/NAME. Other scripts stand alone, named by their file.
"""

import posixpath
import re
from collections.abc import Callable

import numpy as np
from msgspec.structs import replace

from topdown.stacks.profile import Function, FunctionKind, Profile

# Kinds of native code, which belong to the same object.
_NATIVE = frozenset({FunctionKind.USER, FunctionKind.INLINED, FunctionKind.UNKNOWN})
_PACKAGE_FOLDERS = re.compile(r"/(?:site|dist)-packages/([^/]+)")
_STANDARD_LIBRARY = re.compile(r"/lib(?:64)?/python3\.\d+/([^/]+)")
_FROZEN = re.compile(r"<frozen ([\w.]+)>")
_GEM = re.compile(r"/gems/([^/]+?)-\d[^/-]*/")
_RUBY_LIBRARY = re.compile(r"/lib/ruby/(?:vendor_ruby/)?(?:\d[\d.]*/)?([^/]+)")
_COMPOSER = re.compile(r"/vendor/([^/]+/[^/]+)/")
_NODE_INTERNAL = re.compile(r"node:(?:internal/)?([^/]+)")
_NODE_MODULE = re.compile(r"(?:.*/)?node_modules/((?:@[^/]+/)?[^/]+)/")


def grouped_by_module(profile: Profile) -> Profile:
    """Return the profile with the functions replaced by the modules that contain them.

    The name of each function is that of a module; ``kind`` is its language, USER for native code.
    """
    numbers: dict[Function, int] = {}
    group_of = [
        numbers.setdefault(module_of_function(function), len(numbers))
        for function in profile.functions
    ]
    node_function = np.array(group_of, np.int32)[profile.node_function]
    return replace(
        profile, functions=tuple(numbers), node_function=node_function, counted=None, times=None
    )


def module_of_function(function: Function) -> Function:
    """Return the module of a function, or the function itself if its kind has none."""
    if function.kind in _NATIVE:
        name = posixpath.basename(function.module) or function.module
        return Function(name, function.module, FunctionKind.USER)
    if function.kind == FunctionKind.KERNEL:
        return Function(function.module, function.module, FunctionKind.KERNEL)
    rule = _RULES.get(function.kind)
    if rule is None:
        return replace(function, lines=())
    is_named = not function.name.startswith("[")
    name = rule(function) if is_named else function.module
    return Function(name or function.module, "", function.kind)


def _java_package(function: Function) -> str:
    """Return the package of ``package.Class.method``, the class if it has no package."""
    class_name = function.name.partition("(")[0].rpartition(".")[0].partition("/")[0]
    return class_name.rpartition(".")[0] or class_name


def _script_package(function: Function) -> str:
    path = function.module.removeprefix("file://")
    if match := _NODE_INTERNAL.match(path):
        return f"node:{_stem(match[1])}"
    match = _NODE_MODULE.match(path)
    return match[1] if match else path


def _python_package(function: Function) -> str:
    path = function.module
    if match := _FROZEN.match(path):
        return match[1].partition(".")[0]
    match = _PACKAGE_FOLDERS.search(path) or _STANDARD_LIBRARY.search(path)
    return _stem(match[1]) if match else path


def _ruby_gem(function: Function) -> str:
    match = _GEM.search(function.module) or _RUBY_LIBRARY.search(function.module)
    return _stem(match[1]) if match else function.module


def _composer_package(function: Function) -> str:
    match = _COMPOSER.search(function.module)
    return match[1] if match else function.module


def _stem(name: str) -> str:
    return posixpath.splitext(name)[0] if name.endswith((".py", ".rb", ".js")) else name


_RULES: dict[FunctionKind, Callable[[Function], str]] = {
    FunctionKind.JAVA: _java_package,
    FunctionKind.JAVASCRIPT: _script_package,
    FunctionKind.PYTHON: _python_package,
    FunctionKind.RUBY: _ruby_gem,
    FunctionKind.PHP: _composer_package,
}
