#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "base/descriptor.hpp"
#include "base/json.hpp"
#include "disk/ring.hpp"
#include "ioqueue/queue.hpp"
#include "ioqueue/uring_device.hpp"
#include "storm/document.hpp"

namespace {

using stallscope::json;
using stallscope::storm::plan;
using storm_round = stallscope::storm::round;
using stallscope::storm::round_result;
using stallscope::storm::run_round;

constexpr std::uint64_t file_bytes = 1U << 20U;

plan modelled(unsigned servers) {
  stallscope::storm::plan plan;
  plan.disk.target.span_bytes = file_bytes;
  plan.disk.target.writable = true;
  plan.disk.target.simulated = {.servers = servers, .service_ns = 1'000'000};
  return plan;
}

round_result run(const plan& plan, const storm_round& round, int fd = -1) {
  stallscope::disk::run_control control;
  return run_round(plan, round, fd, control);
}

plan on_file() {
  stallscope::storm::plan plan;
  plan.disk.target.span_bytes = file_bytes;
  plan.disk.target.writable = true;
  plan.disk.real_time = false;
  return plan;
}

// Stops the round after `requests` completions.
round_result run_until(std::uint64_t requests, const storm_round& round, int fd) {
  stallscope::disk::run_control control;
  const std::jthread watch([&] {
    while (control.requests < requests) std::this_thread::sleep_for(std::chrono::milliseconds{1});
    control.stop = true;
  });
  return run_round(on_file(), round, fd, control);
}

stallscope::descriptor file_of_zeros() {
  const char* const directory = std::getenv("TMPDIR");
  std::string name =
      std::string{directory != nullptr ? directory : "/tmp"} + "/stallscope-storm-XXXXXX";
  stallscope::descriptor file{::mkstemp(name.data())};
  REQUIRE(file);
  ::unlink(name.c_str());
  REQUIRE(::ftruncate(file.get(), file_bytes) == 0);
  return file;
}

bool no_io_uring() {
  const std::string refusal = stallscope::disk::uring_refusal();
  if (!refusal.empty()) MESSAGE("skipped: " << refusal);
  return !refusal.empty();
}

constexpr std::array<std::uint32_t, 2> equal_shares{100, 100};

class recording_request final : public stallscope::ioqueue::request {
 public:
  void settled(stallscope::ioqueue::outcome how, std::int64_t value) override {
    ++times;
    outcome = how;
    result = value;
  }
  int times = 0;
  stallscope::ioqueue::outcome outcome{};
  std::int64_t result = 0;
};

}  // namespace

TEST_CASE("a limit lets the reader pass the writes that wait in the queue") {
  const auto result = [](std::optional<unsigned> limit, bool shares) {
    storm_round round{
        .limit = limit, .writer = {.depth = 127, .block_bytes = 131'072}, .duration_s = 2};
    if (shares) round.shares = equal_shares;
    return run(modelled(4), round);
  };
  const round_result none = result({}, true);
  CHECK(none.modelled);
  CHECK(none.seconds() == 2);
  // 128 in flight on 4 servers of 1 ms: every request waits for 32 turns.
  CHECK(none.reader->total.sum.max_ns == 32'000'000);
  CHECK(none.in_flight == 128);
  CHECK(none.pending == 0);
  CHECK(none.reader->bytes + none.writer->bytes / 32 == 8000 * 4096);
  const round_result limited = result(8, true);
  CHECK(limited.reader->total.sum.max_ns == 2'000'000);
  CHECK(limited.in_flight == 8);
  CHECK(limited.pending == 120);
  CHECK(limited.limit_hits > 0);
  CHECK(limited.failed().empty());
  const round_result in_one_class = result(8, false);
  CHECK(in_one_class.reader->total.sum.max_ns == 32'000'000);
  CHECK(in_one_class.reader->delay.sum.max_ns == 30'000'000);
}

TEST_CASE("with costs from rates the limit counts the most expensive requests") {
  stallscope::storm::plan plan = modelled(64);
  plan.rates = {
      .read_iops = 1e5, .read_bytes_per_s = 4e8, .write_iops = 1e5, .write_bytes_per_s = 4e8};
  const round_result result = run(plan, {.limit = 4,
                                         .shares = equal_shares,
                                         .reader = {.depth = 0},
                                         .writer = {.depth = 32, .block_bytes = 131'072},
                                         .duration_s = 0.5});
  CHECK(result.in_flight == 4);
  CHECK(result.pending == 28);
  CHECK_FALSE(result.reader);
}

TEST_CASE("requests before the window are not counted") {
  const round_result result = run(modelled(1), {.warmup_s = 1, .duration_s = 0.5});
  CHECK(result.reader->total.sum.count == 500);
  CHECK(result.begin_ns == 1'000'000'000);
  CHECK(result.end_ns == 1'500'000'000);
}

TEST_CASE("a stopped round keeps its results and is marked as interrupted") {
  stallscope::disk::run_control control;
  control.stop = true;
  const round_result result = run_round(modelled(1), {}, -1, control);
  CHECK(result.interrupted);
  CHECK(result.failed() == std::vector<std::string>{"no request of the reader completed"});
}

TEST_CASE("the document has values for measured members and null for others") {
  const auto line = json::parse(
      stallscope::storm::round_line(run(modelled(2), {.id = "r", .limit = 2, .duration_s = 0.25})));
  CHECK(line["kind"] == "round");
  CHECK(line["source"] == "modelled");
  CHECK(line["limit"] == 2);
  CHECK(line["shares"].is_null());
  CHECK(line["writer"].is_null());
  CHECK(line["reader"]["requests"] == 250);
  CHECK(line["reader"]["latency_ns"]["p99.9"] == 1'000'000);
  CHECK(line["reader"]["delay_ns"]["max"] == 0);
  CHECK(line["reader"]["iops"] == 1000.0);
  CHECK(line["iowait_share"].is_null());
  CHECK(line["cpu_delay_share"].is_null());
  CHECK(line["ok"] == true);
}

TEST_CASE("on a file the kernel completes reads and writes and the bytes are counted") {
  if (no_io_uring()) return;
  const auto file = file_of_zeros();
  const round_result result = run_until(1000,
                                        {.limit = 4,
                                         .shares = equal_shares,
                                         .writer = {.depth = 16, .block_bytes = 16'384},
                                         .duration_s = 3600},
                                        file.get());
  CHECK(result.reader->failed() == 0);
  CHECK(result.reader->bytes == 4096 * result.reader->total.sum.count);
  CHECK(result.writer->bytes == 16'384 * result.writer->total.sum.count);
  CHECK(result.writer->total.sum.count > 0);
  CHECK(result.in_flight <= 4);
  CHECK(result.interrupted);
  std::vector<char> content(file_bytes);
  REQUIRE(::pread(file.get(), content.data(), content.size(), 0) ==
          static_cast<ssize_t>(content.size()));
  CHECK(std::count(content.begin(), content.end(), '\0') < static_cast<int>(file_bytes));
}

TEST_CASE("a disk that always fails ends the round early with its errors") {
  if (no_io_uring()) return;
  const stallscope::descriptor nothing{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
  const round_result result = run(
      on_file(), {.writer = {.depth = 4, .block_bytes = 4096}, .duration_s = 3600}, nothing.get());
  CHECK(result.writer->errors.contains(EBADF));
  CHECK(result.writer->total.sum.count == 0);
  // A read of /dev/null returns 0 bytes, which is a short read.
  CHECK(result.reader->errors.contains(EIO));
  const auto reasons = result.failed();
  CHECK(std::find(reasons.begin(), reasons.end(), "no request of the writer completed") !=
        reasons.end());
}

TEST_CASE("cancelled requests end cancelled, in flight and in the queue") {
  if (no_io_uring()) return;
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  const stallscope::descriptor reading{ends[0]};
  const stallscope::descriptor writing{ends[1]};
  const stallscope::ioqueue::monotonic_time clock;
  stallscope::ioqueue::uring_device device{4};
  stallscope::ioqueue::queue queue{device, clock, {.limit = 2}};
  const auto all = queue.add_class({.name = "all"});
  std::byte memory[16];
  recording_request requests[3];
  for (recording_request& request : requests) {
    request.io = {
        .file = reading.get(), .offset = ~std::uint64_t{0}, .memory = memory, .size_bytes = 16};
    REQUIRE(queue.submit(all, request));
  }
  CHECK(queue.dispatch() == 2);
  device.wait(clock.now());
  queue.cancel(requests[0]);
  queue.cancel(requests[2]);
  CHECK(requests[2].outcome == stallscope::ioqueue::outcome::cancelled);
  CHECK(requests[0].times == 0);
  while (requests[0].times == 0) device.wait(clock.now() + std::chrono::seconds{1});
  CHECK(requests[0].outcome == stallscope::ioqueue::outcome::cancelled);
  REQUIRE(::write(writing.get(), "four", 4) == 4);
  while (requests[1].times == 0) device.wait(clock.now() + std::chrono::seconds{1});
  CHECK(requests[1].outcome == stallscope::ioqueue::outcome::done);
  CHECK(requests[1].result == 4);
  CHECK(queue.in_flight() == 0);
}
