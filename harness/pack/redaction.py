"""A profile without names of hosts, arguments and paths."""

import re

from msgspec.structs import replace

from topdown.stacks.profile import Function, Profile, SampleSource, Thread

# Directories of a path within a name; the last component stays.
# The lookbehind keeps the search linear: a component is tried at its first character only.
_DIRECTORIES = re.compile(r"(?<![^\s/<>(),'\":])(?:[A-Za-z]:)?(?:[^\s/<>(),'\"]*/)+(?=[^\s/])")
_ARGUMENTS = re.compile(r"\s.*", re.DOTALL)


def redacted_profile(profile: Profile, host_names: tuple[str, ...]) -> Profile:
    """Return the profile with file names instead of paths, and "host" instead of host names.

    Processes and threads keep the first word of their names. Title, warnings and source lines are
    left out.
    """
    hosts = tuple(sorted({name for name in host_names if name}, key=len, reverse=True))
    functions = tuple(
        Function(_text(function.name, hosts), _file(function.module, hosts), function.kind)
        for function in profile.functions
    )
    threads = tuple(
        Thread(
            thread.pid,
            thread.tid,
            _word(thread.process_name, hosts),
            _word(thread.thread_name, hosts),
        )
        for thread in profile.threads
    )
    source: SampleSource = profile.source
    return replace(
        profile,
        functions=functions,
        threads=threads,
        source=source,
        title="redacted",
        warnings=(),
        counted=None,
        times=None,
    )


def _text(name: str, hosts: tuple[str, ...]) -> str:
    name = _DIRECTORIES.sub("", name)
    for host in hosts:
        name = re.sub(rf"(?<![A-Za-z0-9_]){re.escape(host)}(?![A-Za-z0-9_])", "host", name)
    return name


def _file(module: str, hosts: tuple[str, ...]) -> str:
    """Return the last component of a path, whose directories may contain blanks."""
    return _text(module.rstrip("/").rpartition("/")[2], hosts)


def _word(name: str, hosts: tuple[str, ...]) -> str:
    return _ARGUMENTS.sub("", _text(name, hosts))
