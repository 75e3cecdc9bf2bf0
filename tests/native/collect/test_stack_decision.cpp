#include <doctest/doctest.h>

#include "collect/stack_decision.hpp"

using namespace stallscope;
using namespace stallscope::collect;

namespace {

stack_choice decide_one(std::size_t samples, std::size_t whole, std::optional<double> code = {}) {
  const std::vector<process_evidence> processes{{7, "redis-server", samples, whole, code}};
  return decide_per_process(processes);
}

}  // namespace

TEST_CASE("95 % of a process's first samples must reach the entry") {
  CHECK(decide_one(64, 64).kind == stack_kind::frame_pointers);
  CHECK(decide_one(64, 61).kind == stack_kind::frame_pointers);
  CHECK(decide_one(64, 60).kind == stack_kind::copies);
  const auto choice = decide_one(64, 2);
  CHECK(choice.why == "frame pointers reach the entry in 3 % of redis-server's first 64 samples");
  REQUIRE(choice.processes.size() == 1);
  CHECK(choice.processes[0].probed_samples == 64);
  CHECK(*choice.processes[0].whole_share == doctest::Approx(2.0 / 64));
}

TEST_CASE("few samples can decide against frame pointers but not for them") {
  CHECK(decide_one(2, 1, 1.0).kind == stack_kind::copies);
  CHECK(decide_one(2, 2, 0.1).kind == stack_kind::copies);
  CHECK(decide_one(2, 2, 0.9).kind == stack_kind::frame_pointers);
}

TEST_CASE("an idle process is decided by its code, and copied if the code is unknown") {
  CHECK(decide_one(0, 0, 0.9).kind == stack_kind::frame_pointers);
  CHECK(decide_one(0, 0, 0.5).kind == stack_kind::copies);
  const auto unknown = decide_one(0, 0);
  CHECK(unknown.kind == stack_kind::copies);
  CHECK_FALSE(unknown.processes[0].whole_share);
  CHECK(unknown.why.find("could not be read") != std::string::npos);
}

TEST_CASE("each process has its own decision") {
  const std::vector<process_evidence> processes{
      {1, "kept", 64, 64, {}}, {2, "broken", 64, 0, {}}, {3, "idle", 0, 0, 0.1}};
  const auto choice = decide_per_process(processes);
  CHECK(choice.kind == stack_kind::mixed);
  CHECK(choice.processes[0].kind == stack_kind::frame_pointers);
  CHECK(choice.processes[1].kind == stack_kind::copies);
  CHECK(choice.processes[2].kind == stack_kind::copies);
  CHECK(choice.why ==
        "of 3 processes 2 have call chains that do not reach the entry by frame pointers: broken "
        "(0 % "
        "whole), idle (idle)");
  CHECK(decide_per_process(std::span{processes}.first(1)).kind == stack_kind::frame_pointers);
  CHECK(decide_per_process(std::span{processes}.subspan(1)).kind == stack_kind::copies);
}

TEST_CASE("whole CPUs have one decision: copies if the chains of any process break off") {
  std::vector<process_evidence> processes{{1, "kept", 64, 64, {}}, {2, "seen once", 1, 0, {}}};
  CHECK(decide_for_all(processes).kind == stack_kind::frame_pointers);
  processes.push_back({3, "broken", 8, 0, {}});
  const auto choice = decide_for_all(processes);
  CHECK(choice.kind == stack_kind::copies);
  CHECK(choice.why.find("broken (0 % whole)") != std::string::npos);
  for (const auto& process : choice.processes) CHECK(process.kind == stack_kind::copies);
}

TEST_CASE("the samples of many processes are added, and no samples decide for copies") {
  std::vector<process_evidence> processes;
  for (int i = 0; i < 50; ++i) processes.push_back({i + 1, "short", 2, 1, {}});
  CHECK(decide_for_all(processes).kind == stack_kind::copies);
  CHECK(decide_for_all({}).kind == stack_kind::copies);
}

TEST_CASE("a command is decided by its code, and control characters in its name are replaced") {
  CHECK(decide_for_command("x", 0.95).kind == stack_kind::frame_pointers);
  CHECK(decide_for_command("x", 0.05).kind == stack_kind::copies);
  CHECK(decide_for_command("x", {}).kind == stack_kind::copies);
  const auto choice = decide_for_command("a\x1b[31m\nb", 0.05);
  CHECK(choice.why == "5 % of the code of a?[31m?b and its libraries keeps frame pointers");
}
