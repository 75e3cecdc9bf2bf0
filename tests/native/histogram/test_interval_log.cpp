#include "histogram/interval_log.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>

#include <system_error>

#include "histogram/encoding.hpp"

using namespace std::chrono_literals;
using stallscope::descriptor;
using stallscope::histogram::histogram;
using stallscope::histogram::interval_log;

TEST_CASE("an interval is a line of start, length, maximum and histogram") {
  descriptor memory(memfd_create("intended.hlog", MFD_CLOEXEC));
  REQUIRE(memory);
  const descriptor reading(::dup(memory.get()));
  histogram values;
  values.record(1'500'000);
  {
    interval_log log(std::move(memory), "intended.hlog", 1'700'000'000.25);
    log.append(0s, 1s, values);
    log.append(1s, 500ms, values);
  }
  std::string text(4096, '\0');
  const auto size = ::pread(reading.get(), text.data(), text.size(), 0);
  REQUIRE(size > 0);
  text.resize(static_cast<std::size_t>(size));
  const std::string encoded = stallscope::histogram::encode_base64(values);
  CHECK(
      text ==
      "#[Histogram log format version 1.3]\n"
      "#[StartTime: 1700000000.250 (seconds since epoch)]\n"
      "#[BaseTime: 1700000000.250 (seconds since epoch)]\n"
      "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n"
      "0.000,1.000,1.500," +
          encoded + "\n1.000,0.500,1.500," + encoded + "\n");
}

TEST_CASE("a full disk is reported with the file name") {
  descriptor full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  REQUIRE(full);
  CHECK_THROWS_WITH_AS(interval_log(std::move(full), "lag.hlog", 0), doctest::Contains("lag.hlog"),
                       std::system_error);
}
