#include "wake/measurement.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>

#include <cerrno>
#include <system_error>

using namespace stallscope::wake;

namespace {

plan small(std::optional<transport> over, unsigned processes) {
  plan made;
  made.over = over;
  made.processes = processes;
  made.think = std::chrono::microseconds(50);
  made.max_samples = 40;
  return made;
}

bool has_children() { return !(::waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD); }

}  // namespace

TEST_CASE("the number of samples is as configured, and no process is left") {
  for (const unsigned processes : {2U, 3U}) {
    const measurement measured = measure(small(transport::unix_socket, processes));
    CHECK(measured.latencies.count() == 40);
    CHECK(measured.elapsed.count() > 0);
    CHECK_FALSE(has_children());
  }
}

TEST_CASE("a timer is never early") {
  const measurement measured = measure(small(std::nullopt, 1));
  CHECK(measured.latencies.count() == 40);
  CHECK(measured.latencies.value_at_percentile(0) >= 1);
}

TEST_CASE("a missing CPU is rejected") {
  plan options = small(std::nullopt, 1);
  options.cpus = {60'000};
  CHECK_THROWS_AS(measure(options), std::system_error);
}
