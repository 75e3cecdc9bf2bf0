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

// A device in virtual time that completes request N after answer(N).
class scripted_channel final : public channel {
 public:
  struct reply {
    std::uint64_t after_ns;
    std::int32_t result = 4096;
  };
  explicit scripted_channel(std::function<reply(std::uint64_t number)> answer)
      : answer_{std::move(answer)} {}

  std::uint64_t now_ns() override { return now_ns_; }
  void prepare(const request& request) override { prepared_.push_back(request); }
  void submit() override {
    if (!prepared_.empty()) now_ns_ += submit_ns;
    max_at_once = std::max(max_at_once, prepared_.size());
    for (const request& started : prepared_) {
      const reply next = answer_(number_++);
      ends_.emplace(now_ns_ + next.after_ns, completion{started.slot, next.result});
    }
    prepared_.clear();
    max_busy = std::max(max_busy, ends_.size());
  }
  std::size_t wait(std::span<completion> done, unsigned min_count,
                   std::uint64_t timeout_ns) override {
    const std::uint64_t until_ns = now_ns_ + timeout_ns;
    submit();
    std::size_t count = 0;
    while (count < done.size() && !ends_.empty() && ends_.begin()->first <= until_ns &&
           (count < min_count || ends_.begin()->first <= now_ns_)) {
      now_ns_ = std::max(now_ns_, ends_.begin()->first);
      done[count++] = ends_.begin()->second;
      ends_.erase(ends_.begin());
    }
    if (count < min_count) now_ns_ = std::max(now_ns_, until_ns);
    if (on_wait) on_wait(now_ns_);
    return count;
  }

  std::uint64_t submit_ns = 0;
  std::size_t max_busy = 0;
  std::size_t max_at_once = 0;
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

measurements measure_point(channel& device, const point& settings, run_control& control) {
  counting_watch watch;
  measurements measured = point_loop{device, settings, {some_span, settings}, control}.run(watch);
  CHECK(watch.begins == 1);
  CHECK(watch.ends == 1);
  return measured;
}

measurements measure_point(channel& device, const point& settings) {
  run_control control;
  return measure_point(device, settings, control);
}

TEST_CASE("the loop submits four requests at a time, or the batch") {
  const auto max_at_once = [](unsigned depth, unsigned batch) {
    scripted_channel device{[](auto) { return scripted_channel::reply{ms}; }};
    CHECK(measure_point(device, {.depth = depth, .duration_s = 0.1, .batch = batch}).requests() >
          0);
    return device.max_at_once;
  };
  CHECK(max_at_once(32, 1) == 4);
  CHECK(max_at_once(32, 16) == 16);
  CHECK(max_at_once(2, 1) == 2);
}

TEST_CASE("the loop keeps the depth exactly and does not count the warm-up") {
  for (const unsigned depth : {1U, 3U, 32U}) {
    scripted_channel device{[](auto number) {
      return scripted_channel::reply{number < 100 ? 5 * ms : ms};  // slow at first
    }};
    const measurements measured =
        measure_point(device, {.depth = depth, .warmup_s = 1, .duration_s = 1});
    CHECK(device.max_busy == depth);
    CHECK(measured.requests() == depth * 1000);
    CHECK(measured.reads.sum.max_ns == ms);
    CHECK(measured.outstanding_ns == depth * one_s);
    CHECK(measured.seconds() == 1);
    REQUIRE(measured.series.size() >= 10);
    CHECK(measured.series[5] == depth * 100);
  }
}

TEST_CASE("errors and short reads are counted separately") {
  scripted_channel device{[](auto number) {
    return scripted_channel::reply{ms, number % 10 == 3 ? -EIO : number % 10 == 7 ? 512 : 4096};
  }};
  const measurements measured = measure_point(device, {.duration_s = 1});
  CHECK(measured.requests() == 800);
  CHECK(measured.failed() == 200);
  CHECK(measured.errors.at(EIO) == 200);
  CHECK(measured.outstanding_ns == one_s);
}

TEST_CASE("a device that always fails ends the point early") {
  scripted_channel device{[](auto) { return scripted_channel::reply{1000, -ENXIO}; }};
  const measurements measured = measure_point(device, {.depth = 4, .duration_s = 3600});
  CHECK(measured.requests() == 0);
  CHECK(measured.errors.at(ENXIO) >= 1000);
  CHECK(measured.seconds() < 1);
}

TEST_CASE("the loop waits for a device slower than the duration") {
  scripted_channel device{[](auto) { return scripted_channel::reply{2500 * ms}; }};
  const measurements measured = measure_point(device, {.depth = 2, .duration_s = 1});
  CHECK(measured.requests() == 2);
  CHECK(measured.reads.sum.min_ns == 2500 * ms);
  CHECK(measured.seconds() == 2.5);
  CHECK(measured.outstanding_ns == 2 * 2500 * ms);
}

TEST_CASE("max_requests ends the point at the full depth") {
  scripted_channel device{[](auto) { return scripted_channel::reply{ms}; }};
  const measurements measured =
      measure_point(device, {.depth = 8, .duration_s = 60, .max_requests = 20});
  CHECK(measured.requests() == 20);
  CHECK(measured.end_ns - measured.begin_ns == 3 * ms);
}

TEST_CASE("a stop ends the point and keeps its measurements") {
  run_control control;
  scripted_channel device{[](auto) { return scripted_channel::reply{ms}; }};
  device.on_wait = [&](std::uint64_t now_ns) { control.stop = now_ns >= one_s + 100 * ms; };
  const measurements measured = measure_point(device, {.duration_s = 3600}, control);
  CHECK(measured.interrupted);
  CHECK(measured.requests() == 100);
  CHECK(control.requests == 100);
}

TEST_CASE("a stop takes effect while the device is silent") {
  run_control control;
  scripted_channel device{[](auto) { return scripted_channel::reply{60 * one_s}; }};
  device.on_wait = [&](std::uint64_t now_ns) { control.stop = now_ns >= 2 * one_s; };
  const measurements measured = measure_point(device, {.duration_s = 3600}, control);
  CHECK(measured.interrupted);
  CHECK(measured.requests() == 0);
  CHECK(measured.seconds() < 1.1);
  CHECK(device.now_ns() < 5 * one_s);  // requests in flight are abandoned
}

TEST_CASE("a stop ends the wait for a device that is silent after the window") {
  run_control control;
  scripted_channel device{
      [](auto number) { return scripted_channel::reply{number < 100 ? ms : 600 * one_s}; }};
  device.on_wait = [&](std::uint64_t now_ns) { control.stop = now_ns >= 30 * one_s; };
  const measurements measured = measure_point(device, {.duration_s = 1}, control);
  CHECK_FALSE(measured.interrupted);  // the window had ended before
  CHECK(measured.requests() == 100);
  CHECK(device.now_ns() < 35 * one_s);
}

TEST_CASE("abandon() returns the measurements of a thread that never returns") {
  scripted_channel device{[](auto) { return scripted_channel::reply{ms}; }};
  const point settings{.duration_s = 3600};
  run_control control;
  counting_watch watch;
  point_loop loop{device, settings, {some_span, settings}, control};
  struct gone {};
  device.on_wait = [](std::uint64_t now_ns) {
    if (now_ns >= one_s + 100 * ms) throw gone{};
  };
  CHECK_THROWS_AS(loop.run(watch), gone);
  const measurements measured = loop.abandon(device.now_ns());
  CHECK(measured.interrupted);
  CHECK(measured.requests() == 99);  // the last completion was not processed
  CHECK(measured.end_ns - measured.begin_ns == 100 * ms);
  CHECK(measured.outstanding_ns == 100 * ms);
}

TEST_CASE("an open loop submits requests when they are due and counts latency from then") {
  scripted_channel device{
      [](auto number) { return scripted_channel::reply{number == 100 ? 50 * ms : ms}; }};
  const measurements measured =
      measure_point(device, {.depth = 1, .rate_per_s = 200, .duration_s = 2});
  CHECK(measured.requests() == 400);
  CHECK(measured.reads.sum.max_ns == 50 * ms);
  // Ten requests became due behind the slow request and waited 46, 42, 38 ... ms.
  CHECK(measured.reads.values.value_at_percentile(98.5) > 10 * ms);
  CHECK(measured.reads.sum.min_ns == ms);
}

TEST_CASE("separately timed submissions split the time into parts") {
  scripted_channel device{[](auto) { return scripted_channel::reply{ms}; }};
  device.submit_ns = ms / 4;
  const measurements measured = measure_point(device, {.duration_s = 10});
  REQUIRE(measured.split.requests > 100);
  CHECK(measured.split.queued_ns == 0);
  CHECK(measured.split.submitting_ns == measured.split.requests * ms / 4);
  CHECK(measured.split.device_ns == measured.split.requests * ms);
}

TEST_CASE("the loop waits for a batch before it submits again") {
  scripted_channel device{
      [](auto number) { return scripted_channel::reply{(1 + number % 4) * ms}; }};
  const measurements measured = measure_point(device, {.depth = 4, .duration_s = 1, .batch = 4});
  CHECK(measured.requests() == 1000);  // four every 4 ms, processed together
  CHECK(measured.reads.sum.min_ns == 4 * ms);
}

}  // namespace
}  // namespace stallscope::disk
