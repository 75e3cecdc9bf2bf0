from pathlib import Path

from opentelemetry.proto.collector.profiles.v1development import profiles_service_pb2

from harness.continuous.profile_bytes import profile_bytes
from topdown.stacks.formats.otlp import decode_otlp


def test_the_bytes_are_a_request_without_the_target_s_arguments() -> None:
    content = profile_bytes(Path("tests/captures/file.perf"))
    request = profiles_service_pb2.ExportProfilesServiceRequest.FromString(content)
    (resource,) = request.resource_profiles
    attributes = {row.key: row.value.string_value for row in resource.resource.attributes}
    assert attributes["service.name"] == "stallscope"
    tables = decode_otlp(content, "x")
    assert tables.samples
    assert tables.comments == ()
