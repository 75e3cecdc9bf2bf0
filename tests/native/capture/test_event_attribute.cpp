// Event attributes of all sizes that perf wrote.
#include "capture/event_attribute.hpp"

#include <doctest/doctest.h>

#include "capture_builder.hpp"

using namespace capture_tests;
using stallscope::capture::attribute;
using stallscope::capture::attribute_size;
using stallscope::capture::capture_error;
using stallscope::capture::event_name;
using stallscope::capture::parse_attribute;

namespace {

attribute parse_in_order(const std::string& bytes, order byte_order) {
  const bool swap = (byte_order == order::big) != (std::endian::native == std::endian::big);
  return parse_attribute(std::as_bytes(std::span(bytes)), swap, 0);
}

}  // namespace

TEST_CASE("attributes of older and newer versions") {
  event_spec spec;
  spec.branch_sample_type = 0x77;
  spec.registers_user = 0x88;
  spec.registers_interrupt = 0x99;
  spec.flags = {freq_flag, use_clockid_flag};
  spec.clock_id = 1;
  for (const order byte_order : {order::little, order::big}) {
    for (const std::uint32_t size : {64U, 72U, 80U, 96U, 104U, 112U, 120U, 128U, 136U, 144U}) {
      CAPTURE(size);
      spec.size = size;
      const attribute parsed = parse_in_order(attribute_bytes(spec, byte_order), byte_order);
      CHECK(parsed.sample_type == spec.sample_type);
      CHECK(parsed.frequency_hz == 999);
      CHECK(parsed.period == 0);
      CHECK(parsed.branch_sample_type == (size >= 80 ? 0x77 : 0));
      CHECK(parsed.registers_user == (size >= 96 ? 0x88 : 0));
      CHECK(parsed.clock_id.has_value() == (size >= 96));
      CHECK(parsed.registers_interrupt == (size >= 104 ? 0x99 : 0));
    }
  }
}

TEST_CASE("attribute sizes out of range are errors") {
  event_spec spec;
  std::string bytes = attribute_bytes(spec, order::little);
  const auto size_of = [](const std::string& from) {
    return attribute_size(std::as_bytes(std::span(from)), false, 0);
  };
  CHECK(size_of(bytes) == 136);
  CHECK_THROWS_AS(size_of(bytes.substr(0, 63)), capture_error);
  CHECK_THROWS_AS(size_of(bytes.substr(0, 128)), capture_error);
  bytes[4] = 63;
  CHECK_THROWS_AS(size_of(bytes), capture_error);
  bytes[4] = 0;  // the first version did not fill it in
  CHECK(size_of(bytes) == 64);
}

TEST_CASE("events that a file does not name have the kernel's names") {
  CHECK(event_name(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES) == "cycles");
  CHECK(event_name(PERF_TYPE_HARDWARE, 0xa00000001) == "instructions");
  CHECK(event_name(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK) == "task-clock");
  CHECK(event_name(PERF_TYPE_HW_CACHE, 0x10000) == "L1-dcache-load-misses");
  CHECK(event_name(PERF_TYPE_HW_CACHE, 0xff) == "3:255");
  CHECK(event_name(PERF_TYPE_RAW, 0x1cd) == "4:461");
}
