// Calls a function, directly or staged, ROUNDS times 64 calls, and reads each result: counted by
// callgrind in test_call_cost.py. call_cost direct|staged ROUNDS
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "stages/staged_function.hpp"

using namespace stallscope;

namespace {

constexpr std::uint64_t batch = 64;

struct one_task_scheduler final : reactor::task_scheduler {
  void schedule(reactor::task& work) override { next = &work; }
  bool check_quota() override {
    unchecked_calls_ = batch - 1;
    return false;
  }
  reactor::task* next = nullptr;
};

[[gnu::noinline]] std::uint64_t twice(std::uint64_t number) {
  asm volatile("");  // not a constant expression
  return 2 * number;
}

std::uint64_t direct(std::uint64_t rounds) {
  std::uint64_t sum = 0;
  std::vector<std::uint64_t> results;
  results.reserve(batch);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    for (std::uint64_t i = 0; i < batch; ++i) results.push_back(twice(i));
    for (; !results.empty(); results.pop_back()) sum += results.back();
  }
  return sum;
}

std::uint64_t staged(std::uint64_t rounds) {
  one_task_scheduler scheduler;
  stages::stage_registry registry(scheduler);
  auto staged_twice = stages::make_execution_stage(registry, "twice", twice);
  std::uint64_t sum = 0;
  std::vector<stages::stage_future<std::uint64_t>> results;
  results.reserve(batch);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    for (std::uint64_t i = 0; i < batch; ++i) results.push_back(staged_twice(i));
    scheduler.next->run();
    for (; !results.empty(); results.pop_back()) sum += results.back().get();
  }
  return sum;
}

}  // namespace

int main(int /*words*/, char** word) {
  const std::uint64_t rounds = std::strtoull(word[2], nullptr, 10);
  const bool is_staged = std::string_view(word[1]) == "staged";
  std::printf("%llu\n",
              static_cast<unsigned long long>(is_staged ? staged(rounds) : direct(rounds)));
}
