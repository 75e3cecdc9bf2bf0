"""The ready message of `stallscope serve`."""

from harness.serve.result import ServeResult, ServeThread
from harness.serve.text import lines
from stallscope.documents import decode, encode

RESULT = ServeResult(
    pid=7, target="127.0.0.1:7379", port=7379, unix="/run/s", metrics_port=9100, path="codec",
    stages=True, threads=(ServeThread(tid=7, cpu=None),),
)  # fmt: skip


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


def test_decoding_the_encoded_result_returns_it() -> None:
    assert decode(encode(RESULT), ServeResult, "serve") == RESULT
