"""The ready message of `stallscope serve`."""

from harness.serve.text import lines
from tests.harness.serve.message import RESULT


def test_the_message_names_addresses_and_the_next_commands() -> None:
    first, *others = lines(RESULT)
    assert first.startswith("stallscope-server, pid 7, on 127.0.0.1:7379: path codec (synthetic")
    assert first.endswith("code) in stages, 1 thread")
    assert others == [
        "  also on unix:/run/s",
        "  stallscope load 127.0.0.1:7379",
        "  stallscope profile -p 7",
        "  metrics: http://127.0.0.1:9100/metrics",
    ]
