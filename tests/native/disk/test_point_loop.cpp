#include <doctest/doctest.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <map>
#include <vector>

#include "disk/point_loop.hpp"

namespace stallscope::disk {
namespace {

constexpr std::uint64_t ms = 1'000'000;
constexpr std::uint64_t one_s = 1'000'000'000;
const target some_span{.path = "", .fd = {}, .span_bytes = 1U << 20U};

// A device in virtual time that answers each request after what `answer` says.
class scripted_channel final : public channel {
 public:
  struct reply {
    std::uint64_t after_ns;
    std::int32_t result = 4096;
  };
  explicit scripted_channel(std::function<reply(std::uint64_t number)> answer)
      : answer_{std::move(answer)} {}

  std::uint64_t now_ns() override { return now_ns_; }
  void prepare(const request& wanted) override { prepared_.push_back(wanted); }
  void submit() override {
    if (!prepared_.empty()) now_ns_ += submit_ns;
    most_at_once = std::max(most_at_once, prepared_.size());
    for (const request& one : prepared_) {
      const reply next = answer_(number_++);
      ends_.emplace(now_ns_ + next.after_ns, completion{one.slot, next.result});
    }
    prepared_.clear();
    most_busy = std::max(most_busy, ends_.size());
  }
  std::size_t wait(std::span<completion> done, unsigned least, std::uint64_t most_ns) override {
    const std::uint64_t until_ns = now_ns_ + most_ns;
    submit();
    std::size_t count = 0;
    while (count < done.size() && !ends_.empty() && ends_.begin()->first <= until_ns &&
           (count < least || ends_.begin()->first <= now_ns_)) {
      now_ns_ = std::max(now_ns_, ends_.begin()->first);
      done[count++] = ends_.begin()->second;
      ends_.erase(ends_.begin());
    }
    if (count < least) now_ns_ = std::max(now_ns_, until_ns);
    if (on_wait) on_wait(now_ns_);
    return count;
  }

  std::uint64_t submit_ns = 0;
  std::size_t most_busy = 0;
  std::size_t most_at_once = 0;
  std::function<void(std::uint64_t now_ns)> on_wait;

 private:
  std::function<reply(std::uint64_t)> answer_;
  std::uint64_t now_ns_ = one_s;
  std::uint64_t number_ = 0;
  std::vector<request> prepared_;
  std::multimap<std::uint64_t, completion> ends_;
};

struct counting_watch final : window_watch {
  int begins = 0;
  int ends = 0;
  void begin() override { ++begins; }
  void end() override { ++ends; }
};

measurements measured(channel& device, const point& asked, run_control& control) {
  counting_watch watch;
  measurements found = point_loop{device, asked, {some_span, asked}, control}.run(watch);
  CHECK(watch.begins == 1);
  CHECK(watch.ends == 1);
  return found;
}

measurements measured(channel& device, const point& asked) {
  run_control control;
  return measured(device, asked, control);
}

TEST_CASE("a device is given four requests at a time, or the batch that is asked for") {
  const auto most_at_once = [](unsigned depth, unsigned batch) {
    scripted_channel device{[](auto) { return scripted_channel::reply{ms}; }};
    CHECK(measured(device, {.depth = depth, .duration_s = 0.1, .batch = batch}).requests() > 0);
    return device.most_at_once;
  };
  CHECK(most_at_once(32, 1) == 4);
  CHECK(most_at_once(32, 16) == 16);
  CHECK(most_at_once(2, 1) == 2);
}

TEST_CASE("the depth is held exactly, after a warm-up that is not counted") {
  for (const unsigned depth : {1U, 3U, 32U}) {
    scripted_channel device{[](auto number) {
      return scripted_channel::reply{number < 100 ? 5 * ms : ms};  // slow at first
    }};
    const measurements found = measured(device, {.depth = depth, .warmup_s = 1, .duration_s = 1});
    CHECK(device.most_busy == depth);
    CHECK(found.requests() == depth * 1000);
    CHECK(found.reads.sum.most_ns == ms);
    CHECK(found.outstanding_ns == depth * one_s);
    CHECK(found.seconds() == 1);
    REQUIRE(found.series.size() >= 10);
    CHECK(found.series[5] == depth * 100);
  }
}

TEST_CASE("errors and short reads are counted, and the others kept") {
  scripted_channel device{[](auto number) {
    return scripted_channel::reply{ms, number % 10 == 3 ? -EIO : number % 10 == 7 ? 512 : 4096};
  }};
  const measurements found = measured(device, {.duration_s = 1});
  CHECK(found.requests() == 800);
  CHECK(found.failed() == 200);
  CHECK(found.errors.at(EIO) == 200);
  CHECK(found.outstanding_ns == one_s);
}

TEST_CASE("a device that fails at once does not keep us for the whole time") {
  scripted_channel device{[](auto) { return scripted_channel::reply{1000, -ENXIO}; }};
  const measurements found = measured(device, {.depth = 4, .duration_s = 3600});
  CHECK(found.requests() == 0);
  CHECK(found.errors.at(ENXIO) >= 1000);
  CHECK(found.seconds() < 1);
}

TEST_CASE("a device slower than the time asked for is waited for once") {
  scripted_channel device{[](auto) { return scripted_channel::reply{2500 * ms}; }};
  const measurements found = measured(device, {.depth = 2, .duration_s = 1});
  CHECK(found.requests() == 2);
  CHECK(found.reads.sum.least_ns == 2500 * ms);
  CHECK(found.seconds() == 2.5);
  CHECK(found.outstanding_ns == 2 * 2500 * ms);
}

TEST_CASE("a count ends the point with that many, at the full depth") {
  scripted_channel device{[](auto) { return scripted_channel::reply{ms}; }};
  const measurements found = measured(device, {.depth = 8, .duration_s = 60, .most_requests = 20});
  CHECK(found.requests() == 20);
  CHECK(found.end_ns - found.begin_ns == 3 * ms);
}

TEST_CASE("a stop ends the point and keeps it") {
  run_control control;
  scripted_channel device{[](auto) { return scripted_channel::reply{ms}; }};
  device.on_wait = [&](std::uint64_t now_ns) { control.stop = now_ns >= one_s + 100 * ms; };
  const measurements found = measured(device, {.duration_s = 3600}, control);
  CHECK(found.interrupted);
  CHECK(found.requests() == 100);
  CHECK(control.requests == 100);
}

TEST_CASE("a stop is seen while the device is silent") {
  run_control control;
  scripted_channel device{[](auto) { return scripted_channel::reply{60 * one_s}; }};
  device.on_wait = [&](std::uint64_t now_ns) { control.stop = now_ns >= 2 * one_s; };
  const measurements found = measured(device, {.duration_s = 3600}, control);
  CHECK(found.interrupted);
  CHECK(found.requests() == 0);
  CHECK(found.seconds() < 1.1);
  CHECK(device.now_ns() < 5 * one_s);  // what is in flight is left behind
}

TEST_CASE("a stop ends the wait for a device that fell silent after the window") {
  run_control control;
  scripted_channel device{
      [](auto number) { return scripted_channel::reply{number < 100 ? ms : 600 * one_s}; }};
  device.on_wait = [&](std::uint64_t now_ns) { control.stop = now_ns >= 30 * one_s; };
  const measurements found = measured(device, {.duration_s = 1}, control);
  CHECK_FALSE(found.interrupted);  // it was over before
  CHECK(found.requests() == 100);
  CHECK(device.now_ns() < 35 * one_s);
}

TEST_CASE("what a loop measured can be taken from a thread that does not come back") {
  scripted_channel device{[](auto) { return scripted_channel::reply{ms}; }};
  const point asked{.duration_s = 3600};
  run_control control;
  counting_watch watch;
  point_loop loop{device, asked, {some_span, asked}, control};
  struct gone {};
  device.on_wait = [](std::uint64_t now_ns) {
    if (now_ns >= one_s + 100 * ms) throw gone{};
  };
  CHECK_THROWS_AS(loop.run(watch), gone);
  const measurements found = loop.taken_over(device.now_ns());
  CHECK(found.interrupted);
  CHECK(found.requests() == 99);  // the last one's completion was not seen
  CHECK(found.end_ns - found.begin_ns == 100 * ms);
  CHECK(found.outstanding_ns == 100 * ms);
}

TEST_CASE("an open loop submits when requests are due, and counts from then") {
  scripted_channel device{
      [](auto number) { return scripted_channel::reply{number == 100 ? 50 * ms : ms}; }};
  const measurements found = measured(device, {.depth = 1, .rate_per_s = 200, .duration_s = 2});
  CHECK(found.requests() == 400);
  CHECK(found.reads.sum.most_ns == 50 * ms);
  // The ten that came due behind the slow one waited: 46, 42, 38 ... ms.
  CHECK(found.reads.values.value_at_percentile(98.5) > 10 * ms);
  CHECK(found.reads.sum.least_ns == ms);
}

TEST_CASE("submissions that are timed for themselves tell where the time went") {
  scripted_channel device{[](auto) { return scripted_channel::reply{ms}; }};
  device.submit_ns = ms / 4;
  const measurements found = measured(device, {.duration_s = 10});
  REQUIRE(found.split.requests > 100);
  CHECK(found.split.queued_ns == 0);
  CHECK(found.split.submitting_ns == found.split.requests * ms / 4);
  CHECK(found.split.device_ns == found.split.requests * ms);
}

TEST_CASE("a batch is waited for before the next requests go out") {
  scripted_channel device{
      [](auto number) { return scripted_channel::reply{(1 + number % 4) * ms}; }};
  const measurements found = measured(device, {.depth = 4, .duration_s = 1, .batch = 4});
  CHECK(found.requests() == 1000);  // four in every 4 ms, seen together
  CHECK(found.reads.sum.least_ns == 4 * ms);
}

}  // namespace
}  // namespace stallscope::disk
