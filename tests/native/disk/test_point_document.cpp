#include <doctest/doctest.h>

#include <cerrno>

#include "base/json.hpp"
#include "disk/point_document.hpp"

namespace stallscope::disk {
namespace {

TEST_CASE("unmeasured members are null and measured members have values") {
  point_result result;
  result.settings.id = "a\xff";  // invalid UTF-8
  result.measured.begin_ns = 1'000'000'000;
  result.measured.end_ns = 1'250'000'000;
  const auto empty = json::parse(point_line(result));
  CHECK(empty["latency_ns"].is_null());
  CHECK(empty["parts_ns"]["device"].is_null());
  CHECK(empty["rate_requested"].is_null());
  CHECK(empty["punts"].is_null());
  CHECK(empty["ok"] == false);
  CHECK(empty["series"] == json::array({0.0, 0.0}));
  CHECK(empty["iops"] == 0.0);  // a quarter of a second without a request
  CHECK(empty["cpu_s"].is_null());

  result.measured.end_ns = result.measured.begin_ns;  // stopped in the warm-up
  CHECK(json::parse(point_line(result))["iops"].is_null());
  result.measured.end_ns = 1'250'000'000;

  result.measured.reads.record(1000);
  result.measured.writes.record(3'000'001);
  result.measured.series = {2};
  result.measured.errors[EIO] = 3;
  result.measured.split = {
      .requests = 2, .queued_ns = 20, .submitting_ns = 100, .device_ns = 2'000};
  result.account = {.cpu_ns = 1'000, .run_delay_ns = 10'000'000, .wall_ns = 100'000'000};
  const auto full = json::parse(point_line(result));
  CHECK(full["requests"] == 2);
  CHECK(full["iops"] == 8.0);
  CHECK(full["cpu_s"] == 1e-6);
  CHECK(full["errors"] == json{{"EIO", 3}});
  CHECK(full["latency_ns"]["min"] == 1000);
  CHECK(full["latency_ns"]["max"] == 3'000'001);
  CHECK(full["latency_ns"]["p99.99"] == 3'000'001);
  CHECK(full["read_latency_ns"]["max"] == 1000);
  CHECK(full["histogram"].size() == 2);
  CHECK(full["series"] == json::array({20.0, 0.0}));
  CHECK(full["parts_ns"]["queued"] == 10.0);
  CHECK(full["parts_ns"]["submitting"] == 50.0);
  CHECK(full["parts_ns"]["own_cpu"].get<double>() == doctest::Approx(105.0));
  CHECK(full["parts_ns"]["device"].get<double>() == doctest::Approx(895.0));
}

}  // namespace
}  // namespace stallscope::disk
