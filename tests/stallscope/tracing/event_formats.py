"""Format files of tracepoints with known numbers."""

from collections.abc import Mapping
from pathlib import Path

# By event: its number, and of each field the declaration, offset, size and whether it is signed.
Formats = Mapping[str, tuple[int, *tuple[tuple[str, int, int, int], ...]]]
_COMMON = """
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;
"""


def write_formats(folder: Path, formats: Formats) -> Path:
    """Write the files below a folder of events, and return the folder."""
    for name, (number, *fields) in formats.items():
        lines = "".join(
            f"\tfield:{field};\toffset:{offset};\tsize:{size};\tsigned:{signed};\n"
            for field, offset, size, signed in fields
        )
        (folder / name).mkdir(parents=True)
        (folder / name / "format").write_text(f"name: x\nID: {number}\nformat:{_COMMON}\n{lines}")
    return folder
