"""The options of `stallscope import`."""

from pathlib import Path

from msgspec import Struct

from harness.exchange.writers import OutputFormat
from stallscope.errors import UsageError
from topdown.stacks.formats.detection import FileFormat
from topdown.stacks.formats.perf_script import FoldedNames


class ImportOptions(Struct, frozen=True, kw_only=True):
    """A file to import. ``output`` with its format, or ``folded``, or neither: a summary.

    ``file_format``: None: detected by the content.
    """

    path: Path
    file_format: FileFormat | None = None
    output: Path | None = None
    output_format: OutputFormat | None = None
    folded: Path | None = None
    names: FoldedNames = FoldedNames()
    event: str = ""
    top: int = 20
    as_json: bool = False

    def __post_init__(self) -> None:
        """Raise UsageError for options that contradict each other."""
        if self.folded is not None and self.output is not None:
            raise UsageError("--folded and -o exclude each other", "run the command once for each")
        if self.folded is None and self.names != FoldedNames(event=self.names.event):
            raise UsageError(
                "--pid, --tid, --kernel, --jit, --all, --addrs and --inline change folded names "
                "only",
                "add --folded FILE, or --folded - for standard output",
            )
