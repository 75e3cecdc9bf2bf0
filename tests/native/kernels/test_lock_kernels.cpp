// What the kernels with locks report of themselves, against counts that are known beforehand.
#include <doctest/doctest.h>

#include <atomic>
#include <map>
#include <string>

#include "kernels/runner.hpp"
#include "kernels/table.hpp"

using namespace stallscope::kernels;

namespace {

using accounts = std::map<std::string, std::uint64_t>;

accounts account_after(const char* name, unsigned threads, std::uint64_t iterations,
                       bool look_alike) {
  const kernel_entry* entry = find_kernel(name);
  REQUIRE(entry != nullptr);
  REQUIRE(entry->look_alike != nullptr);
  kernel_settings setting{.threads = threads};
  setting.look_alike = look_alike;
  const auto kernel = entry->make(setting);
  std::atomic<bool> stop{false};
  const run_report report = run_kernel(*entry, threads, *kernel, {.iterations = iterations}, stop);
  CHECK(report.iterations == threads * iterations);
  accounts values;
  for (const kernel_parameter& measured : kernel->account()) {
    values[measured.name] = std::get<std::uint64_t>(measured.value);
  }
  return values;
}

}  // namespace

TEST_CASE("o-n-critical-section visits all entries registered so far, its look-alike one") {
  // 3 x 400 registrations, each of which visits the entries before it: 0 + 1 + ... + 1199.
  const accounts fault = account_after("o-n-critical-section", 3, 400, false);
  CHECK(fault.at("acquisitions") == 1200);
  CHECK(fault.at("entries_visited") == 1200 * 1199 / 2);
  CHECK(fault.at("held_ns") > 0);
  CHECK(fault.count("least_held_ns_with_few_entries") == 1);
  CHECK(fault.count("least_held_ns_with_many_entries") == 0);  // there were never that many
  const accounts look_alike = account_after("o-n-critical-section", 3, 400, true);
  CHECK(look_alike.at("acquisitions") == 1200);
  CHECK(look_alike.at("entries_visited") == 1200);
}

TEST_CASE("o-n-critical-section begins again at its capacity") {
  const accounts fault = account_after("o-n-critical-section", 1, 16'384 + 10, false);
  CHECK(fault.at("entries_visited") == 16'384ULL * 16'383 / 2 + 10 * 9 / 2);
  CHECK(fault.at("waits") == 0);
  CHECK(fault.count("least_held_ns_with_many_entries") == 1);
}

TEST_CASE("hash-under-lock follows chains of 256 nodes, its look-alike of one") {
  // Each of 16,384 keys once: a chain's nodes are visited 1, 2, ... 256 deep.
  const accounts fault = account_after("hash-under-lock", 2, 8192, false);
  CHECK(fault.at("acquisitions") == 16'384);
  CHECK(fault.at("nodes_visited") == 64ULL * 256 * 257 / 2);
  CHECK(fault.at("longest_chain") == 256);
  const accounts look_alike = account_after("hash-under-lock", 2, 8192, true);
  CHECK(look_alike.at("nodes_visited") == 16'384);
  CHECK(look_alike.at("longest_chain") == 1);
}

TEST_CASE("spin-convoy works under its lock, its look-alike before it") {
  const accounts fault = account_after("spin-convoy", 4, 20, false);
  CHECK(fault.at("acquisitions") == 80);
  CHECK(fault.at("steps_under_the_lock") == 80 * 100'000);
  CHECK(fault.at("holder_preemptions") <= fault.at("preemptions"));
  CHECK(fault.at("held_ns_with_preemption") <= fault.at("held_ns"));
  const accounts look_alike = account_after("spin-convoy", 4, 20, true);
  CHECK(look_alike.at("acquisitions") == 80);
  CHECK(look_alike.at("steps_under_the_lock") == 0);
  CHECK(look_alike.at("held_ns") < fault.at("held_ns"));
}

TEST_CASE("the end of the run ends the wait for the spin lock") {
  const kernel_entry* entry = find_kernel("spin-convoy");
  kernel_settings setting{.threads = 4};
  const auto kernel = entry->make(setting);
  std::atomic<bool> stop{false};
  const run_report report = run_kernel(*entry, 4, *kernel, {.duration_ns = 20'000'000}, stop);
  CHECK(report.result == report.iterations);
}
