#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "disk/point_run.hpp"
#include "disk/uring_channel.hpp"

namespace stallscope::disk {
namespace {

constexpr std::uint64_t file_bytes = 1U << 20U;

descriptor file_of(char content) {
  std::string name = (std::getenv("TMPDIR") != nullptr ? std::getenv("TMPDIR") : "/tmp") +
                     std::string{"/stallscope-disk-XXXXXX"};
  descriptor file{::mkstemp(name.data())};
  REQUIRE(file);
  ::unlink(name.c_str());
  const std::vector<char> bytes(file_bytes, content);
  REQUIRE(::write(file.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  return file;
}

plan on_file(const descriptor& file, bool writable = false) {
  return {.target = {.path = "", .fd = file.get(), .span_bytes = file_bytes, .writable = writable},
          .real_time = false};
}

point_result run(const plan& plan, const descriptor& file, const point& settings,
                 const std::string& refusal = uring_refusal()) {
  run_control control;
  return measure({.plan = plan, .fd = file.get(), .uring_refusal = refusal}, settings, control);
}

TEST_CASE("the kernel completes requests at any depth with either engine") {
  const descriptor file = file_of('x');
  const plan file_plan = on_file(file);
  for (const engine engine : {disk::engine::uring, disk::engine::preadv2}) {
    for (const unsigned depth : {1U, 5U}) {
      const point_result result =
          run(file_plan, file,
              {.depth = depth, .duration_s = 60, .max_requests = 1000, .engine = engine});
      CHECK(result.measured.requests() == 1000);
      CHECK(result.measured.failed() == 0);
      CHECK_FALSE(result.modelled);
      CHECK(result.account.cpu_ns.value_or(0) > 0);
      CHECK(result.measured.split.requests > 0);
    }
  }
}

TEST_CASE("without io_uring, threads keep the depth") {
  const descriptor file = file_of('x');
  const point_result result =
      run(on_file(file), file, {.depth = 4, .duration_s = 60, .max_requests = 400}, "forbidden");
  CHECK(result.used == disk::engine::preadv2);
  CHECK(result.measured.requests() == 400);
}

TEST_CASE("a depth above the maximum number of threads is not measured and a note says so") {
  const descriptor file = file_of('x');
  const point_result result = run(on_file(file), file, {.depth = 65}, "forbidden");
  CHECK(result.measured.requests() == 0);
  CHECK(result.notes.size() == 1);
  CHECK_FALSE(result.failed().empty());
}

TEST_CASE("only points with writes modify the file") {
  const descriptor file = file_of('\0');
  const plan file_plan = on_file(file, true);
  const auto zeros = [&] {
    std::vector<char> bytes(file_bytes);
    REQUIRE(::pread(file.get(), bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(file_bytes));
    return std::count(bytes.begin(), bytes.end(), '\0');
  };
  run(file_plan, file, {.depth = 4, .duration_s = 60, .max_requests = 100});
  CHECK(zeros() == file_bytes);
  const point_result result = run(file_plan, file,
                                  {.depth = 4,
                                   .pattern = pattern::sequential,
                                   .read_share = 0,
                                   .duration_s = 60,
                                   .max_requests = 256});
  CHECK(result.measured.writes.sum.count == 256);
  CHECK(result.measured.reads.sum.count == 0);
  CHECK(zeros() < static_cast<std::ptrdiff_t>(file_bytes / 64));  // random bytes: 1 of 256
}

TEST_CASE("a result lists the reasons to reject it") {
  point_result result;
  result.settings.depth = 4;
  result.measured.begin_ns = 1;
  result.measured.end_ns = 1'000'000'001;
  result.measured.outstanding_ns = 4'000'000'000;
  result.account = {.cpu_ns = 1, .run_delay_ns = 0, .wall_ns = 1'000'000'000};
  CHECK(result.failed().size() == 1);  // no request completed
  result.measured.reads.record(1000);
  CHECK(result.failed().empty());
  CHECK(*result.littles_law_error() == doctest::Approx(0));
  result.measured.outstanding_ns = 3'900'000'000;
  CHECK(result.failed().size() == 1);
  result.account.run_delay_ns = 60'000'000;
  CHECK(*result.cpu_delay_share() == doctest::Approx(0.06));
  CHECK(result.failed().back() == "the measuring thread waited for a CPU 6.0 % of the time");
  CHECK(result.failed().size() == 2);
  result.measured.errors[5] = 1;
  CHECK(result.failed().size() == 3);
  result.account.run_delay_ns.reset();
  CHECK_FALSE(result.cpu_delay_share().has_value());
  CHECK(result.failed().size() == 2);
  result.settings.rate_per_s = 1;
  CHECK_FALSE(result.littles_law_error().has_value());
  CHECK(result.failed().size() == 1);
  result.settings.rate_per_s = 2;
  CHECK(result.failed().size() == 2);
}

TEST_CASE(
    "overhead between fast requests is accepted, more requests in flight than the depth are not") {
  point_result result;
  result.settings.depth = 1;
  for (int request = 0; request < 1000; ++request) result.measured.reads.record(1000);
  result.account = {.cpu_ns = 1, .run_delay_ns = 0, .wall_ns = 1'050'000};
  result.measured.end_ns = 1'050'000;
  result.measured.outstanding_ns = 1'000'000;  // 50 ns between requests: 4.8 %
  CHECK(result.idle_slot_ns() == doctest::Approx(50));
  CHECK(*result.littles_law_error() > max_littles_law_error);
  CHECK(result.failed().empty());
  result.measured.end_ns = 1'200'000;  // 200 ns
  CHECK(result.failed().size() == 1);
  result.measured.end_ns = 950'000;  // 50 ns too much
  CHECK(result.idle_slot_ns() == doctest::Approx(-50));
  CHECK(result.failed().size() == 1);
}

}  // namespace
}  // namespace stallscope::disk
