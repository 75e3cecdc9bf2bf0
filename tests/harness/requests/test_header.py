import shutil
import subprocess
from pathlib import Path

import pytest

from harness.requests.header import header_path

PROGRAM = """\
#include "stallscope_request.h"
int main(void) {
  stallscope_request_begin(1, "a");
  stallscope_request_suspend(1, "queue");
  stallscope_request_resume(1);
  stallscope_request_end(1);
  return stallscope_requests_recorded();
}
"""
WARNINGS = ("-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror")


@pytest.mark.parametrize(
    ("suffix", "standard"), [("c", "c99"), ("c", "gnu17"), ("cpp", "c++11"), ("cpp", "c++20")]
)
def test_the_header_compiles_without_warnings(tmp_path: Path, suffix: str, standard: str) -> None:
    source = tmp_path / f"program.{suffix}"
    source.write_text(PROGRAM)
    compiler = shutil.which("cc" if suffix == "c" else "c++")
    assert compiler is not None
    program = tmp_path / "program"
    words = [compiler, f"-std={standard}", *WARNINGS, f"-I{header_path().parent}"]
    subprocess.run([*words, source, "-o", program], check=True)
    assert subprocess.run([program], check=False).returncode == 0
    listened = subprocess.run([program], check=False, env={"STALLSCOPE_REQUESTS": "1"})
    assert listened.returncode == 1
