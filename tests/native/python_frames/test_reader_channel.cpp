#include "python_frames/reader_channel.hpp"

#include <doctest/doctest.h>

#include "process_reading/process_verdicts.hpp"
#include "process_reading/time_allowance.hpp"
#include "reader_process/shared_memory.hpp"

namespace stallscope::python_frames {

TEST_CASE("notices are taken in their order, and a full queue refuses more") {
  const reader_process::shared_memory<reader_channel> channel;
  CHECK_FALSE(channel->take().has_value());
  std::uint64_t count = 0;
  while (channel->put({1, 2, count})) ++count;
  CHECK(count >= 1000);
  for (std::uint64_t i = 0; i < count; ++i) CHECK(channel->take()->time_ns == i);
  CHECK_FALSE(channel->take().has_value());
  CHECK(channel->put({1, 2, 3}));
}

TEST_CASE("lines arrive whole, and wait while there is no room") {
  const reader_process::shared_memory<reader_channel> channel;
  const std::string line = std::string(9999, 'x') + "\n";
  std::string lines;
  for (int i = 0; i < 1000; ++i) lines += line;
  const auto all = lines;
  std::string taken;
  while (!lines.empty()) {
    const auto waiting = lines.size();
    channel->put_lines(lines);
    REQUIRE(lines.size() < waiting);
    REQUIRE(channel->take_text(taken));
    REQUIRE(taken.ends_with('\n'));
  }
  CHECK(taken == all);
}

TEST_CASE("a stop ends the wait of a helper") {
  const reader_process::shared_memory<reader_channel> channel;
  channel->request_stop();
  channel->wait(std::chrono::hours{1});
  CHECK(channel->stopped());
}

TEST_CASE("counts are published") {
  const reader_process::shared_memory<reader_channel> channel;
  channel->publish({.read = 3, .late = 2, .over_budget = 1}, true);
  CHECK(channel->reads_any());
  CHECK(channel->counts().read == 3);
  CHECK(channel->counts().late == 2);
  CHECK(channel->counts().over_budget == 1);
}

TEST_CASE("a verdict holds from its time on, for its process alone") {
  constexpr std::uint64_t second = 1'000'000'000;
  const reader_process::shared_memory<process_reading::process_verdicts> verdicts;
  CHECK(verdicts->interesting(4711, 0));
  verdicts->set(4711, process_reading::process_verdicts::never);
  CHECK(verdicts->known(4711));
  CHECK_FALSE(verdicts->interesting(4711, 1'000 * second));
  CHECK(verdicts->interesting(4712, 0));
  verdicts->set(4711, 10 * second);
  CHECK_FALSE(verdicts->interesting(4711, 9 * second));
  CHECK(verdicts->interesting(4711, 11 * second));
  verdicts->set(4711, process_reading::process_verdicts::always);
  CHECK(verdicts->interesting(4711, 0));
  verdicts->set(4711, process_reading::process_verdicts::never);
  verdicts->forget(4711);
  CHECK(verdicts->interesting(4711, 0));
}

TEST_CASE("an allowance permits an amount at once, then a share of the time") {
  constexpr std::uint64_t ms = 1'000'000;
  process_reading::time_allowance allowance{{.at_once_ns = 100 * ms, .reciprocal = 10}};
  std::uint64_t now = 5'000 * ms;
  std::uint64_t used = 0;
  for (; allowance.available(now) && used < 1'000 * ms; used += 10 * ms)
    allowance.charge(10 * ms, now);
  CHECK(used >= 100 * ms);
  CHECK(used <= 120 * ms);
  now += 100'000 * ms;  // a long pause permits no more than the amount
  used = 0;
  for (; allowance.available(now) && used < 1'000 * ms; used += 10 * ms)
    allowance.charge(10 * ms, now);
  CHECK(used <= 120 * ms);
  used = 0;
  for (int i = 0; i < 1'000; ++i, now += ms) {
    if (!allowance.available(now)) continue;
    allowance.charge(ms, now);
    used += ms;
  }
  CHECK(used <= 102 * ms);  // a tenth of a second
  CHECK(used >= 90 * ms);
}

}  // namespace stallscope::python_frames
