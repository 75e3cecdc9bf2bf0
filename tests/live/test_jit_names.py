"""JIT-compiled code has the names of its perf map, while the process runs and after its end."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.live
STALLSCOPE = str(Path(sys.executable).with_name("stallscope"))
SOURCE = r"""
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#ifdef __aarch64__
static const uint32_t code[] = {0xf1000400u, 0x54ffffe1u, 0xd65f03c0u};
#else
static const uint8_t code[] = {0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3};
#endif
int main(int argc, char** argv) {
  void* page = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED || argc != 2) return 1;
  memcpy(page, code, sizeof code);
  __builtin___clear_cache((char*)page, (char*)page + sizeof code);
  char name[64];
  snprintf(name, sizeof name, "/tmp/perf-%d.map", getpid());
  FILE* map = fopen(name, "w");
  fprintf(map, "%lx %zx compiled::loop<int>\n", (unsigned long)page, sizeof code);
  fclose(map);
  puts("ready");
  fflush(stdout);
  time_t end = time(0) + (argv[1][0] - '0');
  while (time(0) < end) ((void (*)(long))page)(10000000);
  return 0;
}
"""


@pytest.fixture(scope="module")
def compiler(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program that compiles a loop into memory and runs it for some seconds."""
    folder = tmp_path_factory.mktemp("jit")
    (folder / "jit.c").write_text(SOURCE)
    subprocess.run(["cc", "-O1", "-o", folder / "jit", folder / "jit.c"], check=True)
    return folder / "jit"


def hottest(folder: Path, *target: str) -> str:
    """The hottest function's name in a profile of the target."""
    run = subprocess.run(
        [STALLSCOPE, "profile", "--json", "-o", folder / "run", *target],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return json.loads(run.stdout)["functions"][0]["name"]


def remove_maps(folder: Path) -> None:
    # Maps that other processes left in /tmp were copied too, and may still be in use.
    for kept in (folder / "run" / "jit").iterdir():
        if "compiled::loop<int>" in kept.read_text():
            Path("/tmp", f"perf-{kept.stem}.map").unlink(missing_ok=True)


def test_a_running_process_has_the_names_of_its_map(compiler: Path, tmp_path: Path) -> None:
    with subprocess.Popen([compiler, "9"], stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            process.stdout.readline()
            assert (
                hottest(tmp_path, "-p", str(process.pid), "--duration", "1")
                == "compiled::loop<int>"
            )
        finally:
            process.kill()
    remove_maps(tmp_path)


def test_an_ended_command_has_the_names_of_its_map(compiler: Path, tmp_path: Path) -> None:
    assert hottest(tmp_path, "--", str(compiler), "2") == "compiled::loop<int>"
    remove_maps(tmp_path)
