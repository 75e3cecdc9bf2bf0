#include "kernels/runner.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "perf_events/cpu_list.hpp"

using namespace stallscope::kernels;

namespace {

// Runs a kernel with a small working set.
run_report run_small(const char* name, unsigned threads, const run_options& options,
                     std::atomic<bool>& stop) {
  const kernel_entry* entry = find_kernel(name);
  REQUIRE(entry != nullptr);
  const kernel_settings setting{
      .threads = threads, .memory_limit_bytes = 1U << 20U, .rate_per_s = 200'000};
  const auto kernel = entry->make(setting);
  return run_kernel(*entry, threads, *kernel, options, stop);
}

class failing_kernel : public kernel_base {
 public:
  std::uint64_t run(unsigned thread, std::uint64_t iterations, const std::atomic<bool>&) override {
    if (thread == 1) throw std::system_error(ENOMEM, std::generic_category(), "kernel failed");
    return iterations;
  }
  [[nodiscard]] std::uint64_t result() const override { return 0; }
};

}  // namespace

TEST_CASE("every thread runs its iterations, in calls of at most iterations_per_call") {
  std::atomic<bool> stop{false};
  const run_report report = run_small("false-sharing", 3, {.iterations = 25'001}, stop);
  CHECK(report.iterations == 75'003);
  CHECK(report.result == 75'003);
  CHECK(report.cpu_ns > 0);
  CHECK(report.elapsed_ns > 0);
  CHECK_FALSE(stop);
}

TEST_CASE("threads that wait for each other all finish") {
  std::atomic<bool> stop{false};
  const run_report herd = run_small("thundering-herd", 5, {.iterations = 110}, stop);
  CHECK(herd.iterations == 550);
  CHECK(herd.result == 110);  // one thread of the herd takes an item
  const run_report turns = run_small("sleep-wake", 2, {.iterations = 120}, stop);
  CHECK(turns.iterations == 240);
  CHECK(turns.result == 240);
  const run_report contended = run_small("contended-mutex", 4, {.iterations = 20}, stop);
  CHECK(contended.iterations == 80);
}

TEST_CASE("the duration ends every kernel, also kernels whose threads wait for each other") {
  for (const kernel_entry& entry : all_kernels()) {
    if (entry.uses_cgroup && geteuid() != 0) continue;
    CAPTURE(std::string(entry.name));
    std::atomic<bool> stop{false};
    const run_report report =
        run_small(entry.name, entry.threads, {.duration_ns = 2'000'000}, stop);
    CHECK(stop);
    CHECK(report.iterations > 0);
    CHECK(report.elapsed_ns >= 2'000'000);
  }
}

TEST_CASE("a stop before the start prevents all iterations") {
  for (const kernel_entry& entry : all_kernels()) {
    if (entry.uses_cgroup && geteuid() != 0) continue;
    CAPTURE(std::string(entry.name));
    std::atomic<bool> stop{true};
    CHECK(run_small(entry.name, entry.threads, {}, stop).iterations == 0);
  }
}

TEST_CASE("threads are pinned to the CPUs, and a missing CPU is named") {
  const int cpu = stallscope::perf_events::online_cpus().front();
  std::atomic<bool> stop{false};
  CHECK(run_small("dependent-chain", 2, {.iterations = 10, .cpus = {cpu}}, stop).iterations == 20);
  for (const int missing : {1023, stallscope::perf_events::max_cpu}) {
    CHECK_THROWS_WITH_AS(
        run_small("dependent-chain", 2, {.iterations = 10, .cpus = {missing}}, stop),
        doctest::Contains(("cannot pin a thread to CPU " + std::to_string(missing)).c_str()),
        std::system_error);
  }
}

TEST_CASE("an exception of a thread stops all threads and is rethrown") {
  const kernel_entry* entry = find_kernel("dependent-chain");
  failing_kernel kernel;
  std::atomic<bool> stop{false};
  CHECK_THROWS_WITH_AS(run_kernel(*entry, 3, kernel, {}, stop), doctest::Contains("kernel failed"),
                       std::system_error);
}
