"""The document of a server."""

from harness.serve.result import ServeResult
from stallscope.documents import decode, encode
from tests.harness.serve.message import RESULT


def test_decoding_the_encoded_result_returns_it() -> None:
    assert decode(encode(RESULT), ServeResult, "serve") == RESULT
