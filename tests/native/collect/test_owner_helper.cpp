#include "collect/owner_helper.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <thread>

#include "base/clock.hpp"
#include "collect/owner_reader.hpp"
#include "collect/scratch.hpp"

namespace stallscope::collect {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t an_hour_ns = 3'600'000'000'000;
constexpr std::uint64_t longest_test_ns = 20'000'000'000;

// A directory like /proc, in which the system call of a thread of this process cannot be read: an
// open of a FIFO without a writer does not return.
void add_blocking_thread(const std::filesystem::path& proc, pid_t tid) {
  const auto folder = proc / std::to_string(::getpid()) / "task" / std::to_string(tid);
  std::filesystem::create_directories(folder);
  REQUIRE(::mkfifo((folder / "syscall").c_str(), 0600) == 0);
}

futex_wait wait_of(pid_t tid, const std::uint32_t* address) {
  return {::getpid(), tid, monotonic_ns(), reinterpret_cast<std::uintptr_t>(address), 0x80, 2};
}

}  // namespace

TEST_CASE("a process that blocks the reader of lock owners is left out") {
  const test::scratch scratch;
  add_blocking_thread(scratch.at(""), 5);
  owner_helper helper{procfs{scratch.at("")}};
  const std::array<std::uint32_t, 8> lock{2, 0, 77, 1, 0};
  const auto end_ns = monotonic_ns() + longest_test_ns;
  while (helper.warnings().empty() && monotonic_ns() < end_ns) {
    helper.note(wait_of(5, lock.data()));
    helper.wake();
    std::this_thread::sleep_for(5ms);
    helper.supervise(monotonic_ns() + an_hour_ns);
  }
  REQUIRE(helper.warnings().size() == 1);
  CHECK(helper.warnings()[0].code == "lock-owners-left-out");
  // The next helper gets no waits of this process.
  helper.note(wait_of(5, lock.data()));
  helper.wake();
  std::this_thread::sleep_for(20ms);
  helper.supervise(monotonic_ns() + an_hour_ns);
  helper.finish();
  CHECK(helper.warnings().size() == 1);
  CHECK_FALSE(helper.take());
}

TEST_CASE("a wait whose thread does not wait any more has no owner") {
  owner_helper helper{procfs{}};
  const std::array<std::uint32_t, 8> lock{2, 0, 77, 1, 0};
  std::optional<owner_reading> reading;
  const auto end_ns = monotonic_ns() + longest_test_ns;
  while (!reading && monotonic_ns() < end_ns) {
    helper.note(wait_of(::getpid(), lock.data()));
    helper.wake();
    std::this_thread::sleep_for(1ms);
    reading = helper.take();
  }
  helper.finish();
  REQUIRE(reading);
  CHECK(reading->owner.owner == 0);
  CHECK(reading->owner.reason == owner_reason::wait_is_over);
}

TEST_CASE("a reader without rings starts, writes nothing and ends") {
  const perf_events::ring_set rings;
  const stallscope::wake_event filled;
  owner_reader reader{procfs{}, rings, {{}, [](std::uint64_t) { return false; }}, filled};
  std::string lines;
  reader.start();
  reader.pass(lines);
  reader.finish(lines);
  CHECK(lines.empty());
  CHECK(reader.warnings().empty());
}

}  // namespace stallscope::collect
