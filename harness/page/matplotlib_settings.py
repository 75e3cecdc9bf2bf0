"""The surroundings in which matplotlib runs: its own settings, and a private list of fonts.

matplotlib takes settings from the first ``matplotlibrc`` in the current directory, at a path in the
environment, and in the home directory; a setting can make it run latex. It also runs fc-list, which
it locates by PATH.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path

from stallscope.private_directory import cache_directory, private_directory


@contextmanager
def default_settings() -> Iterator[None]:
    """Make the directory of matplotlib's default settings the current one during the block.

    The file there precedes all others. The list of fonts is cached in a directory of this user.
    """
    spec = find_spec("matplotlib")
    assert spec is not None
    assert spec.origin is not None
    with ExitStack() as stack:
        fonts = _font_directory() or stack.enter_context(tempfile.TemporaryDirectory())
        before = {name: os.environ.get(name) for name in ("MPLCONFIGDIR", "PATH")}
        here = os.open(".", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        stack.callback(os.close, here)
        stack.callback(os.fchdir, here)
        stack.callback(_set_environment, before)
        _set_environment({"MPLCONFIGDIR": str(fonts), "PATH": os.defpath})
        os.chdir(Path(spec.origin).parent / "mpl-data")
        yield


def _font_directory() -> Path | None:
    path = cache_directory("matplotlib")
    try:
        if path is not None:
            with private_directory(path.parent), private_directory(path):
                return path
    except OSError:
        pass
    return None


def _set_environment(values: dict[str, str | None]) -> None:
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
