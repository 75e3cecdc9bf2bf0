"""Runs of the programs with a known bottleneck."""

import subprocess
from pathlib import Path


def run_kernels(kernels: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([kernels, *arguments], capture_output=True, text=True, check=False)
