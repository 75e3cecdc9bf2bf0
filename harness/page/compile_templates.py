"""Writes the bytecode of all templates; run by the build (native/bindings/CMakeLists.txt).

``python -m harness.page.compile_templates DIRECTORY``
"""

import sys
from pathlib import Path

from jinja2.bccache import Bucket

from harness.page.templates import InstalledBytecode, environment


class _WritableBytecode(InstalledBytecode):
    def load_bytecode(self, bucket: Bucket) -> None:
        """Load nothing: all templates are compiled."""

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Write the file of a template."""
        with self.path(bucket).open("wb") as file:
            bucket.write_bytecode(file)


def template_names(packages: Path) -> list[str]:
    """Return the names of all templates below the package ``packages``, sorted.

    The name is that of the innermost package, and the path below it.
    """
    names = []
    for file in sorted(packages.rglob("*.html")):
        package = next(folder for folder in file.parents if (folder / "__init__.py").exists())
        prefix = ".".join(package.relative_to(packages.parent).parts)
        names.append(f"{prefix}/{file.relative_to(package)}")
    return names


def compile_templates(packages: Path, directory: Path) -> int:
    """Write the bytecode of the templates below ``packages``, and return their number."""
    directory.mkdir(parents=True, exist_ok=True)
    for old in directory.glob("*.bytecode"):
        old.unlink()
    compiler = environment(_WritableBytecode(directory))
    names = template_names(packages)
    for name in names:
        compiler.get_template(name)
    return len(names)


if __name__ == "__main__":
    compile_templates(Path(__file__).parents[1], Path(sys.argv[1]))
