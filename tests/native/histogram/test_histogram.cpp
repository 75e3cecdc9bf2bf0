#include "histogram/histogram.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <stdexcept>

using stallscope::histogram::histogram;

TEST_CASE("every value up to the highest is known to three digits") {
  const std::uint64_t highest = histogram::hour_ns;
  for (std::uint64_t value = 1; value <= highest; value = value * 3 / 2 + 1) {
    CAPTURE(value);
    histogram one;
    one.record(value);
    CHECK(one.count() == 1);
    CHECK(one.max() >= value);
    CHECK(static_cast<double>(one.max() - value) <= static_cast<double>(value) / 1000);
    CHECK(one.value_at_percentile(100) == one.max());
  }
}

TEST_CASE("values are counted where the indices say") {
  histogram counted(1'000'000);
  for (const std::uint64_t value : {0U, 1U, 2047U, 2048U, 2049U, 2050U, 4096U, 1'000'000U}) {
    counted.record(value);
  }
  const auto counts = counted.counts();
  CHECK(counts[0] == 1);
  CHECK(counts[1] == 1);
  CHECK(counts[2047] == 1);
  CHECK(counts[2048] == 2);  // two wide from here on
  CHECK(counted.lowest_at(2048) == 2048);
  CHECK(counted.highest_at(2048) == 2049);
  CHECK(counts[2049] == 1);
  CHECK(counts[3072] == 1);
  CHECK(counted.highest_at(3072) == 4099);
  CHECK(counted.count() == 8);
  for (std::size_t i = 1; i < counts.size(); ++i) {
    REQUIRE(counted.lowest_at(i) == counted.highest_at(i - 1) + 1);
  }
}

TEST_CASE("what is beyond the highest value counts as it, and is told") {
  histogram counted(10'000, 2);
  counted.record(9'999);
  CHECK(counted.clamped() == 0);
  counted.record(~std::uint64_t{0}, 3);
  CHECK(counted.clamped() == 3);
  CHECK(counted.count() == 4);
  CHECK(counted.max() >= 10'000);
  CHECK(counted.max() < 10'100);
}

TEST_CASE("percentiles are those of the sorted values, to three digits") {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> latency(11, 2);
  std::vector<std::uint64_t> values(10'000);
  histogram counted;
  for (auto& value : values) {
    value = static_cast<std::uint64_t>(latency(random));
    counted.record(value);
  }
  std::sort(values.begin(), values.end());
  for (const double percentile : {0.01, 1.0, 10.0, 50.0, 90.0, 99.0, 99.9, 99.99, 100.0}) {
    CAPTURE(percentile);
    const auto rank = std::max(1.0, percentile / 100 * 10'000 + 0.5);
    const auto exact = values[static_cast<std::size_t>(rank) - 1];
    const auto found = counted.value_at_percentile(percentile);
    CHECK(found >= exact);
    CHECK(static_cast<double>(found - exact) <= static_cast<double>(exact) / 1000);
  }
  CHECK(counted.value_at_percentile(0) <= values.front());
  CHECK(counted.value_at_percentile(1000) == counted.max());
}

TEST_CASE("merging is recording into one") {
  histogram all;
  histogram left;
  histogram right;
  for (std::uint64_t value = 1; value < 2'000'000; value += 997) {
    all.record(value);
    (value % 2 == 0 ? left : right).record(value);
  }
  right.record(histogram::hour_ns + 1);
  all.record(histogram::hour_ns + 1);
  left.add(right);
  CHECK(std::ranges::equal(left.counts(), all.counts()));
  CHECK(left.clamped() == 1);
  CHECK_THROWS_AS(left.add(histogram(1'000'000)), std::invalid_argument);
  CHECK_THROWS_AS(left.add(histogram(histogram::hour_ns, 2)), std::invalid_argument);
  left.reset();
  CHECK(left.count() == 0);
  CHECK(left.clamped() == 0);
}

TEST_CASE("an empty histogram has no values") {
  const histogram empty;
  CHECK(empty.count() == 0);
  CHECK(empty.max() == 0);
  CHECK(empty.value_at_percentile(50) == 0);
  CHECK(empty.corrected(10).count() == 0);
}

TEST_CASE("a stall of 100 s among expected 10 ms hid what the correction brings back") {
  // HdrHistogram's own example: 10,000 values of 1 ms, then one of 100 s.
  histogram hiccup;
  hiccup.record(1'000'000, 10'000);
  hiccup.record(100'000'000'000);
  CHECK(hiccup.value_at_percentile(99) <= 1'001'000);
  const histogram corrected = hiccup.corrected(10'000'000);
  // The 9,999 that were omitted, and as many more as fit into the three digits that 100 s has.
  CHECK(static_cast<double>(corrected.count()) == doctest::Approx(20'000).epsilon(0.001));
  const auto near = [&](double percentile, double seconds) {
    const auto found = static_cast<double>(corrected.value_at_percentile(percentile)) / 1e9;
    return found == doctest::Approx(seconds).epsilon(0.002);
  };
  CHECK(near(30, 0.001));
  CHECK(near(75, 50));
  CHECK(near(90, 80));
  CHECK(near(99, 98));
  CHECK(near(99.999, 100));
  CHECK(hiccup.count() == 10'001);
  CHECK(hiccup.corrected(0).count() == 10'001);
}

TEST_CASE("a range that is none is refused") {
  CHECK_THROWS_AS(histogram(1), std::invalid_argument);
  CHECK_THROWS_AS(histogram(~std::uint64_t{0}), std::invalid_argument);
  CHECK_THROWS_AS(histogram(1'000, 0), std::invalid_argument);
  CHECK_THROWS_AS(histogram(1'000, 6), std::invalid_argument);
  histogram widest(std::uint64_t{1} << 62U, 5);
  widest.record(std::uint64_t{1} << 62U);
  CHECK(widest.count() == 1);
}
