#include "kernels/report.hpp"

#include <doctest/doctest.h>

#include "base/json.hpp"

using stallscope::json;
using namespace stallscope::kernels;

namespace {

const kernel_entry& chain_entry() {
  const kernel_entry* kernel = find_kernel("dependent-chain");
  REQUIRE(kernel != nullptr);
  return *kernel;
}

}  // namespace

TEST_CASE("report_json() has all counters and parameters") {
  const run_report report{.iterations = 7,
                          .elapsed_ns = 1000,
                          .cpu_ns = 900,
                          .user_ns = 800,
                          .system_ns = 100,
                          .minor_faults = 3,
                          .voluntary_switches = 2,
                          .involuntary_switches = 1,
                          .result = 18446744073709551615U};
  const std::vector<kernel_parameter> parameters = {{"threads", std::uint64_t{2}},
                                                    {"stride", std::string("a \"line\"")}};
  const auto document = json::parse(report_json(chain_entry(), report, parameters));
  CHECK(document == json{{"schema", "stallscope.kernels/1"},
                         {"kernel", "dependent-chain"},
                         {"expected", "backend_bound/core_bound"},
                         {"iterations", 7},
                         {"elapsed_ns", 1000},
                         {"cpu_ns", 900},
                         {"user_ns", 800},
                         {"system_ns", 100},
                         {"minor_faults", 3},
                         {"voluntary_switches", 2},
                         {"involuntary_switches", 1},
                         {"result", 18446744073709551615U},
                         {"parameters", {{"threads", 2}, {"stride", "a \"line\""}}}});
}

TEST_CASE(
    "report_text() names the expected diagnosis, and omits the time per iteration without "
    "iterations") {
  run_report report{.iterations = 100, .elapsed_ns = 1'000'000'000, .cpu_ns = 500'000'000};
  const std::vector<kernel_parameter> parameters = {{"threads", std::uint64_t{1}}};
  const std::string text = report_text(chain_entry(), report, parameters);
  CHECK(text.find("expected         backend_bound/core_bound\n") != std::string::npos);
  CHECK(text.find("100 in 1.000 s\n") != std::string::npos);
  CHECK(text.find("0.500 s, 5000000.00 ns per iteration\n") != std::string::npos);
  CHECK(text.find("threads          1") != std::string::npos);
  report.iterations = 0;
  CHECK(report_text(chain_entry(), report, parameters).find("per iteration") == std::string::npos);
}

TEST_CASE("list_json() has every kernel with its expected diagnosis") {
  const auto list = json::parse(list_json(all_kernels()));
  CHECK(list["schema"] == "stallscope.kernels.list/1");
  REQUIRE(list["kernels"].size() == all_kernels().size());
  for (std::size_t i = 0; i < all_kernels().size(); ++i) {
    const auto& kernel = list["kernels"][i];
    CHECK(kernel["name"] == all_kernels()[i].name);
    CHECK(kernel["expected"] == all_kernels()[i].expected);
  }
  CHECK(list["kernels"][0]["instructions_per_iteration"] == 32);
  CHECK(list["kernels"][2]["instructions_per_iteration"].is_null());
}

TEST_CASE("list_text() has a line per kernel") {
  const std::string text = list_text(all_kernels());
  for (const kernel_entry& kernel : all_kernels()) {
    CHECK(text.find(std::string("\n") + kernel.name + " ") != std::string::npos);
  }
}
