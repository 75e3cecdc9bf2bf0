"""Java methods at the stacks of waits."""

import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.live
PROGRAM = Path(__file__).parent / "targets" / "WaitingJava.java"
STALLSCOPE = (sys.executable, "-m", "stallscope")


def test_waits_of_java_threads_end_in_java_methods(tmp_path: Path) -> None:
    for name in ("java", "javac"):
        if shutil.which(name) is None:
            pytest.skip(f"needs the program {name}")
    subprocess.run(["javac", "-d", tmp_path, PROGRAM], check=True, timeout=120)
    recording = tmp_path / "recording"
    with subprocess.Popen(["java", "-cp", str(tmp_path), "WaitingJava", "60"]) as target:
        try:
            time.sleep(1)
            command = [*STALLSCOPE, "waits", "-p", str(target.pid), "--duration", "1"]
            subprocess.run(
                [*command, "-o", str(recording)], check=True, timeout=120, capture_output=True
            )
        finally:
            target.kill()
    flame = [*STALLSCOPE, "flame", str(recording), "--weight", "off-cpu", "--format", "folded"]
    folded = subprocess.run(
        [*flame, "-o", "-"], check=True, timeout=120, capture_output=True, text=True
    )
    waits = [line for line in folded.stdout.splitlines() if "WaitingJava." in line]
    for method in ("sleeping", "holding", "contending", "parked"):
        assert any(f"WaitingJava.{method}" in line for line in waits), method
