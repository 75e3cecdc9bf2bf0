#include "kernels/table.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "kernels/code_blocks.hpp"
#include "kernels/dependency_chains.hpp"
#include "kernels/held_out.hpp"
#include "kernels/work.hpp"

using namespace stallscope::kernels;

namespace {

// Small caches, so that all working sets are small.
kernel_settings small_setting(const kernel_entry& entry) {
  kernel_settings setting{.threads = entry.threads};
  setting.caches.l1d = {.bytes = 4096, .known = true};
  setting.caches.l2 = {.bytes = 16384, .known = true};
  setting.caches.l3 = {.bytes = 65536, .known = true};
  setting.memory_limit_bytes = 1U << 20U;
  return setting;
}

const kernel_entry& entry(const char* name) {
  const kernel_entry* kernel = find_kernel(name);
  REQUIRE(kernel != nullptr);
  return *kernel;
}

// Returns the result after calls with these iterations, on one thread.
std::uint64_t result_of(const char* name, const std::vector<std::uint64_t>& calls) {
  kernel_settings setting = small_setting(entry(name));
  setting.threads = 1;
  const auto kernel = entry(name).make(setting);
  const std::atomic<bool> stop{false};
  for (const std::uint64_t iterations : calls) {
    CHECK(kernel->run(0, iterations, stop) == iterations);
  }
  return kernel->result();
}

}  // namespace

TEST_CASE("the table has every kernel once, with a diagnosis in top-down terms") {
  const std::set<std::string> expected = {"independent-adds",
                                          "dependent-chain",
                                          "divide-chain",
                                          "pointer-chase-l1",
                                          "pointer-chase-l2",
                                          "pointer-chase-l3",
                                          "pointer-chase-dram",
                                          "streaming",
                                          "random-branches",
                                          "periodic-branches",
                                          "large-straight-code",
                                          "large-branchy-code",
                                          "store-forwarding",
                                          "false-sharing",
                                          "contended-mutex",
                                          "thundering-herd",
                                          "page-faults",
                                          "system-calls",
                                          "byte-reads",
                                          "sleep-wake",
                                          "hash-lookups",
                                          "copy-and-add",
                                          "multiply-chain",
                                          "mixed-generators",
                                          "opcode-dispatch",
                                          "square-roots",
                                          "state-walk",
                                          "merge-lists",
                                          "o-n-critical-section",
                                          "hash-under-lock",
                                          "spin-convoy",
                                          "lock-hog",
                                          "lock-holder-on-slow-disk",
                                          "idle-sleeper",
                                          "preempted-holder",
                                          "lock-convoy",
                                          "pipeline-slow-middle",
                                          "single-threaded-server",
                                          "states",
                                          "short-and-long-waits",
                                          "condition-herd",
                                          "futex-kinds",
                                          "mapped-file-faults",
                                          "deep-queue",
                                          "slow-peer",
                                          "oversubscribed",
                                          "busy-neighbour",
                                          "cgroup-throttled",
                                          "slow-requests-disk",
                                          "slow-requests-lock",
                                          "slow-requests-compute",
                                          "slow-requests-memory",
                                          "wall-halves"};
  const std::set<std::string> starts = {
      "retiring", "bad_speculation", "frontend_bound", "backend_bound",
      "kernel: ", "waiting: ",       "requests: "};
  std::set<std::string> names;
  for (const kernel_entry& kernel : all_kernels()) {
    CHECK(names.insert(kernel.name).second);
    CHECK(find_kernel(kernel.name) == &kernel);
    const std::string answer = kernel.expected;
    CHECK(std::any_of(starts.begin(), starts.end(),
                      [&](const std::string& start) { return answer.starts_with(start); }));
    CHECK(kernel.min_threads <= kernel.threads);
    CHECK(kernel.threads <= kernel.max_threads);
    CHECK(kernel.iterations_per_call > 0);
  }
  CHECK(names == expected);
  CHECK(find_kernel("mix") == nullptr);
}

TEST_CASE(
    "a call continues after the previous call, so that the result depends on all iterations") {
  for (const kernel_entry& kernel : all_kernels()) {
    if (kernel.min_threads > 1 || kernel.measures_states) continue;
    CAPTURE(std::string(kernel.name));
    const std::uint64_t whole = result_of(kernel.name, {100});
    CHECK(result_of(kernel.name, {37, 63}) == whole);
    CHECK(result_of(kernel.name, {101}) != whole);
  }
}

TEST_CASE("the results of summing kernels are exact") {
  CHECK(result_of("independent-adds", {1000}) == std::uint64_t{1000} * adds_per_iteration);
  CHECK(result_of("dependent-chain", {1000}) == std::uint64_t{1000} * adds_per_iteration);
  CHECK(result_of("large-straight-code", {2}) == 2 * straight_units * additions_per_unit * added);
  CHECK(result_of("large-branchy-code", {2}) == 2 * branchy_blocks * additions_per_block * added);
  CHECK(result_of("store-forwarding", {1000}) == 3000);
  CHECK(result_of("false-sharing", {1000}) == 1000);
  CHECK(result_of("page-faults", {1000}) == 1000);
  CHECK(result_of("page-faults", {1024, 5, 3000}) ==
        4029);  // dropped pages are fresh on the next access
  CHECK(result_of("system-calls", {10}) == 10);
  CHECK(result_of("byte-reads", {256, 10}) == 255 * 128 + 55);
}

TEST_CASE("a pointer chase returns to its start after the whole ring, and not before") {
  const std::uint64_t nodes = 4096 / 2 / sizeof(chain_node);
  CHECK(result_of("pointer-chase-l1", {nodes}) == 0);
  for (std::uint64_t steps = 1; steps < nodes; ++steps) {
    CHECK(result_of("pointer-chase-l1", {steps}) != 0);
  }
}

TEST_CASE("a stream reads every word and wraps around at its end") {
  const std::uint64_t lines = (1U << 20U) / 64;
  const std::uint64_t once = 8 * (lines * (lines - 1) / 2);
  CHECK(result_of("streaming", {lines}) == once);
  CHECK(result_of("streaming", {2 * lines + 3}) == 2 * once + 8 * (1 + 2));
}

TEST_CASE("pass n of copy-and-add adds n to every word") {
  const std::uint64_t lines = (1U << 20U) / 64 / 2;
  const std::uint64_t copied = lines * (lines - 1) / 2;
  CHECK(result_of("copy-and-add", {lines}) == copied + lines);
  CHECK(result_of("copy-and-add", {lines + 3}) == copied + lines + 3);
}

TEST_CASE("a walk through the table returns to its start after every state, and not before") {
  const std::uint64_t states = 2 * 4096 / sizeof(std::uint32_t);
  CHECK(result_of("state-walk", {states}) == 0);
  CHECK(result_of("state-walk", {states / 2}) != 0);
}

TEST_CASE("a lookup returns the value that its slot holds") {
  // Values are slot numbers, so that random lookups average half the number of slots.
  const std::uint64_t slots = (1U << 20U) / 16;
  const std::uint64_t sum = result_of("hash-lookups", {1000});
  CHECK(sum > 1000 * slots / 4);
  CHECK(sum < 1000 * slots * 3 / 4);
}

TEST_CASE("the hash table is at least as large as the chase's working set if the limit allows it") {
  constexpr std::uint64_t mib = 1U << 20U;
  CHECK(table_bytes(128 * mib, 1024 * mib) == 128 * mib);
  CHECK(table_bytes(420 * mib, 6026 * mib) == 512 * mib);
  CHECK(table_bytes(420 * mib, 512 * mib) == 512 * mib);
  CHECK(table_bytes(420 * mib, 511 * mib) == 256 * mib);
  CHECK(table_bytes(420 * mib, 420 * mib) == 256 * mib);
}

TEST_CASE("eight kernels are held out") {
  const auto held_out = std::count_if(all_kernels().begin(), all_kernels().end(),
                                      [](const kernel_entry& kernel) { return kernel.held_out; });
  CHECK(held_out == 8);
  CHECK(!entry("divide-chain").held_out);
}

TEST_CASE("the work under the mutex is one dependent chain") {
  CHECK(result_of("contended-mutex", {5}) == hot_arithmetic(5000, 1));
}

TEST_CASE("padding separates the counters and keeps the counts") {
  for (const bool padded : {false, true}) {
    kernel_settings setting = small_setting(entry("false-sharing"));
    setting.threads = 3;
    setting.padded = padded;
    const auto kernel = entry("false-sharing").make(setting);
    const std::atomic<bool> stop{false};
    for (unsigned thread = 0; thread < 3; ++thread) kernel->run(thread, 10 + thread, stop);
    CHECK(kernel->result() == 33);
    const auto parameters = kernel->parameters();
    REQUIRE(parameters.size() == 1);
    CHECK(std::get<std::uint64_t>(parameters[0].value) == (padded ? 128 : 8));
  }
}

TEST_CASE("assumed cache sizes have their own parameter name") {
  const auto kernel = entry("large-straight-code").make({.threads = 1, .caches = {}});
  const auto parameters = kernel->parameters();
  CHECK(std::any_of(parameters.begin(), parameters.end(), [](const kernel_parameter& parameter) {
    return parameter.name == "l1i_bytes_assumed";
  }));
}
