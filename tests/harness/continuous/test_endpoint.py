"""URLs of receivers, and requests to receivers that fail in different ways."""

import socket

import pytest
from opentelemetry.proto.collector.profiles.v1development import profiles_service_pb2

from harness.continuous.endpoint import PATH, Delivery, parse_endpoint, post
from stallscope.errors import UsageError
from tests.harness.continuous.profile_receiver import receiver


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("http://localhost:4318", f"http://localhost:4318{PATH}"),
        ("https://otel.example/", f"https://otel.example:443{PATH}"),
        ("http://[::1]:4318/v1/x?y=1", "http://[::1]:4318/v1/x?y=1"),
    ],
)
def test_the_default_path_is_that_of_otlp(text: str, url: str) -> None:
    assert parse_endpoint(text).url == url


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("file:///etc/passwd", "not an http or https URL"),
        ("localhost:4318", "not an http or https URL"),
        ("http://", "not an http or https URL"),
        ("http://user:secret@host/", "visible to all users"),
        ("http://token@host/", "visible to all users"),
        ("http://host/#x", "fragment"),
        ("http://host/a b", "must be escaped"),
        ("http://host/\x1b", "must be escaped"),
        ("http://host:99999/", "not a URL"),
    ],
)
def test_other_urls_are_refused_and_secrets_are_not_repeated(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        parse_endpoint(text)
    assert "secret" not in caught.value.message + caught.value.remedy


def test_a_profile_is_sent_as_compressed_protobuf() -> None:
    with receiver([200]) as (endpoint, requests):
        assert post(endpoint, b"content") == Delivery()
    ((path, headers, content),) = requests
    assert (path, content) == (PATH, b"content")
    assert headers["Content-Type"] == "application/x-protobuf"
    assert "Authorization" not in headers


def test_rejected_profiles_are_counted_and_a_strange_reply_is_not_an_error() -> None:
    response = profiles_service_pb2.ExportProfilesServiceResponse()
    response.partial_success.rejected_profiles = 2
    with receiver([200], response.SerializeToString()) as (endpoint, _):
        assert post(endpoint, b"").rejected == 2
    with receiver([200], b"\xff" * 99) as (endpoint, _):
        assert post(endpoint, b"") == Delivery()


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_busy_receiver_is_tried_again(status: int) -> None:
    with receiver([status], Retry_After="7") as (endpoint, _):
        delivery = post(endpoint, b"")
    assert (delivery.may_retry, delivery.retry_after_s) == (True, 7)
    assert delivery.failure.startswith(f"HTTP {status}")


def test_redirects_and_refusals_are_final() -> None:
    for status in (301, 307, 400, 401, 404, 500):
        with receiver([status], Location="http://127.0.0.1:1/") as (endpoint, requests):
            delivery = post(endpoint, b"")
        assert (delivery.may_retry, len(requests)) == (False, 1)
        assert delivery.failure.startswith(f"HTTP {status}")


def test_an_unreachable_or_silent_receiver_is_tried_again() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        delivery = post(parse_endpoint(f"http://127.0.0.1:{port}"), b"", timeout_s=0.05)
        assert (delivery.may_retry, delivery.failure) == (True, "timed out")
    delivery = post(parse_endpoint(f"http://127.0.0.1:{port}"), b"")
    assert (delivery.may_retry, "refused" in delivery.failure) == (True, True)
