"""`harness.pack.options`."""

from pathlib import Path

from harness.pack.options import PackOptions


def test_the_archive_has_the_name_of_the_recording() -> None:
    assert PackOptions(Path("/tmp/run/")).archive == Path("run.stallscope.tar.gz")
    assert PackOptions(Path("run"), Path("x")).archive == Path("x")
