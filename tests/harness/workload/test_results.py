"""The loader's document as a typed result."""

import json

from harness.workload.results import LoadResult
from stallscope.documents import decode, encode
from tests.harness.workload.fake_programs import LOADED


def test_decoding_the_encoded_result_returns_it() -> None:
    result = decode(json.dumps(LOADED), LoadResult, "load.json")
    assert decode(encode(result), LoadResult, "load.json") == result
    document = json.loads(encode(result))
    assert document["rate_achieved"] == 3012.5
    assert "settings" not in document
    assert "event" not in document
