#include "kernels/mix_output.hpp"

#include <doctest/doctest.h>

#include <memory>

using namespace stallscope::kernels;

namespace {

mix_snapshot example() {
  return {.time_ns = 12,
          .function_ns = {3'000'000'000, 1'000'000'000, 0, 0},
          .thread_ns = {{"arithmetic", 3'000'000'000}, {"pointers", 1'000'000'000}}};
}

}  // namespace

TEST_CASE("json_line() encodes a snapshot in one line") {
  CHECK(json_line(example(), 42) ==
        R"({"schema":"stallscope.kernels.mix/1","pid":42,"time_ns":12,)"
        R"("cpu_ns":{"hot_arithmetic":3000000000,"chase_pointers":1000000000,)"
        R"("mispredict_branches":0,"mostly_sleeping":0},)"
        R"("threads":{"arithmetic":3000000000,"pointers":1000000000}})");
}

TEST_CASE("share_table() prints the shares of the CPU time of all functions") {
  CHECK(share_table(example()) ==
        "function               true share   CPU time\n"
        "hot_arithmetic             75.0 %    3.000 s\n"
        "chase_pointers             25.0 %    1.000 s\n"
        "mispredict_branches         0.0 %    0.000 s\n"
        "mostly_sleeping             0.0 %    0.000 s\n");
  CHECK(share_table({}).find("0.0 %") != std::string::npos);  // no division by a total of zero
}

TEST_CASE("write_line() reports a full disk") {
  const auto close = [](std::FILE* file) { std::fclose(file); };
  const std::unique_ptr<std::FILE, decltype(close)> full(std::fopen("/dev/full", "w"), close);
  REQUIRE(full);
  CHECK_FALSE(write_line(full.get(), "line"));
}
