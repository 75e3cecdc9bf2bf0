"""What gives names to the functions of a runtime that cannot be read from outside."""

import re

# How to start a runtime so that it writes the addresses of its functions, and for HotSpot, how to
# request them while it runs. The map files are read if they exist.
REMEDIES = {
    "v8": "names need a start with --perf-basic-prof --interpreted-frames-native-stack",
    "hotspot": "jcmd PID Compiler.perfmap writes the names of compiled methods",
    "cpython": "names need Python 3.11 or later, or a start with -X perf",
    "ruby": "names of code of YJIT need a start with --yjit-perf=map (Ruby 3.3 or later)",
    "php": "names of code of the JIT need opcache.jit_debug=16",
    "dotnet": "names need a start with DOTNET_PerfMapEnabled=1",
    "mono": "names need a start with --jitmap",
    "luajit": "names need a build of LuaJIT with LUAJIT_USE_PERFTOOLS",
    "beam": "names need a start with +JPperf true",
    "julia": "names need a start with ENABLE_JITPROFILING=1",
    "wasmtime": "names need a start with --profile=perfmap",
}
_FILES = (
    ("dotnet", re.compile(rb"/libcoreclr\.so$")),
    ("mono", re.compile(rb"/(mono(-sgen)?|libmonosgen-2\.0\.so.*|libcoreclr_mono\.so)$")),
    ("luajit", re.compile(rb"/(luajit[^/]*|libluajit[^/]*|openresty|texlua[^/]*)$")),
    ("beam", re.compile(rb"/beam(\.[a-z]+)*$")),
    ("julia", re.compile(rb"/libjulia(-internal)?\.so[^/]*$")),
    ("wasmtime", re.compile(rb"/(wasmtime|libwasmtime\.so[^/]*)$")),
    ("v8", re.compile(rb"/(node|nodejs|deno|libnode\.so[^/]*|electron)$")),
    ("hotspot", re.compile(rb"/libjvm\.so$")),
    ("php", re.compile(rb"/(php[0-9.]*|php-fpm[0-9.]*|libphp[0-9.]*\.so)$")),
    ("ruby", re.compile(rb"/(ruby[0-9.]*|libruby[^/]*)$")),
)


def runtime_of_file(path: bytes) -> str:
    """Return the runtime that a mapped file belongs to by its name, empty for other files."""
    return next((name for name, pattern in _FILES if pattern.search(path)), "")


def remedy_for(runtime: str) -> str:
    """Return what gives names, empty for other runtimes."""
    return REMEDIES.get(runtime, "")
