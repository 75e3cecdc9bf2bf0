#include <doctest/doctest.h>

#include <chrono>
#include <stdexcept>

#include "ioqueue/token_bucket.hpp"

namespace {

using namespace std::chrono_literals;
using stallscope::ioqueue::token_bucket;

}  // namespace

TEST_CASE("a full bucket lets a burst through, then the rate") {
  token_bucket bucket({.per_s = 1000, .burst = 5});
  auto now = 10s + 0ns;
  for (int i = 0; i < 5; ++i) {
    REQUIRE(bucket.ready_at(1, now) == now);
    bucket.take(1, now);
  }
  for (int i = 1; i <= 3; ++i) {
    const auto ready = bucket.ready_at(1, now);
    CHECK(ready == now + 1ms);
    now = ready;
    bucket.take(1, now);
  }
  CHECK(bucket.ready_at(2, now) == now + 2ms);
  CHECK(bucket.ready_at(1, now + 1h) == now + 1h);
}

TEST_CASE("a cost above the bucket is admitted when the bucket is full, and paid for later") {
  token_bucket bucket({.per_s = 1000, .burst = 5});
  CHECK(bucket.ready_at(20, 1s) == 1s);
  bucket.take(20, 1s);
  CHECK(bucket.ready_at(1, 1s) == 1s + 16ms);
  CHECK(bucket.ready_at(20, 1s) == 1s + 20ms);
}

TEST_CASE("no fraction of a nanosecond is lost, however many requests there are") {
  token_bucket bucket({.per_s = 3, .burst = 1});
  auto now = 0ns;
  for (int i = 0; i < 300'000; ++i) {
    now = bucket.ready_at(1, now);
    bucket.take(1, now);
  }
  // The first starts at once, the others a third of a second apart.
  const auto exact = std::chrono::nanoseconds{299'999 * std::int64_t{1'000'000'000} / 3};
  CHECK(now >= exact - 2ns);
  CHECK(now <= exact + 2ns);
}

TEST_CASE("rates and bursts out of range are rejected") {
  constexpr auto most = stallscope::ioqueue::max_cost;
  CHECK_THROWS_AS(token_bucket({.per_s = 0, .burst = 1}), std::invalid_argument);
  CHECK_THROWS_AS(token_bucket({.per_s = 1, .burst = 0}), std::invalid_argument);
  CHECK_THROWS_AS(token_bucket({.per_s = most + 1, .burst = 1}), std::invalid_argument);
  CHECK_THROWS_AS(token_bucket({.per_s = 1, .burst = most + 1}), std::invalid_argument);
  token_bucket widest({.per_s = most, .burst = most});
  widest.take(most, 1s);
  CHECK(widest.ready_at(most, 1s) == 2s);
}
