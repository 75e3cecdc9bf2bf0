"""An interpreter in a library is detected among any number of extension modules."""

import shutil
import subprocess
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.live.conftest import Recording

pytestmark = pytest.mark.live
MODULES = 24
HOST = r"""
#include <Python.h>
#include <stdio.h>
#include <dlfcn.h>
int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) if (!dlopen(argv[i], RTLD_NOW)) return 1;
  Py_InitializeEx(0);
  puts("ready");
  fflush(stdout);
  return PyRun_SimpleString("def embedded():\n while True: pass\nembedded()");
}
"""


def test_an_embedded_interpreter_is_detected_among_many_modules(
    record: Callable[..., Recording], tmp_path: Path
) -> None:
    headers = Path("/usr/include/python3.11")
    if shutil.which("cc") is None or not (headers / "Python.h").exists():
        pytest.skip("needs the program cc, and the headers of Python 3.11")
    (tmp_path / "host.c").write_text(HOST)
    (tmp_path / "empty.c").write_text("int nothing;\n")
    libraries = sysconfig.get_config_var("MULTIARCH") or "x86_64-linux-gnu"
    subprocess.run(
        ["cc", "-o", tmp_path / "host", tmp_path / "host.c", f"-I{headers}",
         f"/usr/lib/{libraries}/libpython3.11.so.1.0"],
        check=True,
    )  # fmt: skip
    subprocess.run(["cc", "-shared", "-o", tmp_path / "m.so", tmp_path / "empty.c"], check=True)
    modules = [tmp_path / f"_m{number}.cpython-311.so" for number in range(MODULES)]
    for module in modules:
        shutil.copy(tmp_path / "m.so", module)
    with subprocess.Popen([tmp_path / "host", *modules], stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            run = record("-p", process.pid, "--stacks", "dwarf", "--duration", 1)
        finally:
            process.kill()
    assert '"name":"embedded"' in (run.directory / "python.jsonl").read_text()
