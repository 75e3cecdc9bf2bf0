"""The Jinja2 environment of the pages, with autoescape. A template stands beside its module.

Parsing the templates of a page takes 25 ms of CPU time, a tenth of a report. So the build stores
their bytecode in ``compiled/``, with the checksum of the source and the version of Python
(``compile_templates.py``). A template that is missing there, or has changed since, is parsed.
Nothing is written at run time, and no directory of a user is read: reports run as root, too.
"""

from functools import cache
from pathlib import Path
from pickle import UnpicklingError

from jinja2 import BytecodeCache, Environment, FunctionLoader, StrictUndefined
from jinja2.bccache import Bucket

from harness.page.source_files import sources
from stallscope.printable import visible_text

COMPILED = Path(__file__).with_name("compiled")
_LONGEST_TEXT = 300


class InstalledBytecode(BytecodeCache):
    """Bytecode of templates in a directory of the installation, which is only read."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def path(self, bucket: Bucket) -> Path:
        """Return the file of a template."""
        return self._directory / f"{bucket.key}.bytecode"

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fill the bucket, unless the file is damaged or of another source, Python or Jinja2."""
        try:
            with self.path(bucket).open("rb") as file:
                bucket.load_bytecode(file)
        except (OSError, EOFError, ValueError, UnpicklingError):
            bucket.reset()

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Write nothing: only the build stores bytecode."""


@cache
def installed_environment() -> Environment:
    """Return the environment that uses the bytecode of the installation."""
    return environment(InstalledBytecode(COMPILED))


def environment(bytecode: BytecodeCache) -> Environment:
    """Return an environment whose bytecode is in ``bytecode``."""
    created = Environment(
        loader=FunctionLoader(_template_source),
        bytecode_cache=bytecode,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    created.filters["visible"] = _visible
    return created


def _visible(text: str, longest: int = _LONGEST_TEXT) -> str:
    return visible_text(text, longest)


def _template_source(name: str) -> str:
    package, _, file = name.partition("/")
    return sources(package, (file,))
