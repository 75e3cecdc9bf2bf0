#include "histogram/histogram.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <stdexcept>

using stallscope::histogram::histogram;

TEST_CASE("every value up to the highest keeps three digits") {
  const std::uint64_t highest = histogram::hour_ns;
  for (std::uint64_t value = 1; value <= highest; value = value * 3 / 2 + 1) {
    CAPTURE(value);
    histogram single;
    single.record(value);
    CHECK(single.count() == 1);
    CHECK(single.max() >= value);
    CHECK(static_cast<double>(single.max() - value) <= static_cast<double>(value) / 1000);
    CHECK(single.value_at_percentile(100) == single.max());
  }
}

TEST_CASE("values are counted at the index of their bucket") {
  histogram values(1'000'000);
  for (const std::uint64_t value : {0U, 1U, 2047U, 2048U, 2049U, 2050U, 4096U, 1'000'000U}) {
    values.record(value);
  }
  const auto counts = values.counts();
  CHECK(counts[0] == 1);
  CHECK(counts[1] == 1);
  CHECK(counts[2047] == 1);
  CHECK(counts[2048] == 2);  // counters are two values wide from here on
  CHECK(values.lowest_at(2048) == 2048);
  CHECK(values.highest_at(2048) == 2049);
  CHECK(counts[2049] == 1);
  CHECK(counts[3072] == 1);
  CHECK(values.highest_at(3072) == 4099);
  CHECK(values.count() == 8);
  for (std::size_t i = 1; i < counts.size(); ++i) {
    REQUIRE(values.lowest_at(i) == values.highest_at(i - 1) + 1);
  }
}

TEST_CASE("a value above the highest counts as the highest and as clamped") {
  histogram values(10'000, 2);
  values.record(9'999);
  CHECK(values.clamped() == 0);
  values.record(~std::uint64_t{0}, 3);
  CHECK(values.clamped() == 3);
  CHECK(values.count() == 4);
  CHECK(values.max() >= 10'000);
  CHECK(values.max() < 10'100);
}

TEST_CASE("percentiles match the sorted values to three digits") {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> latency(11, 2);
  std::vector<std::uint64_t> values(10'000);
  histogram recorded;
  for (auto& value : values) {
    value = static_cast<std::uint64_t>(latency(random));
    recorded.record(value);
  }
  std::sort(values.begin(), values.end());
  for (const double percentile : {0.01, 1.0, 10.0, 50.0, 90.0, 99.0, 99.9, 99.99, 100.0}) {
    CAPTURE(percentile);
    const auto rank = std::max(1.0, percentile / 100 * 10'000 + 0.5);
    const auto exact = values[static_cast<std::size_t>(rank) - 1];
    const auto actual = recorded.value_at_percentile(percentile);
    CHECK(actual >= exact);
    CHECK(static_cast<double>(actual - exact) <= static_cast<double>(exact) / 1000);
  }
  CHECK(recorded.value_at_percentile(0) <= values.front());
  CHECK(recorded.value_at_percentile(1000) == recorded.max());
}

TEST_CASE("merging equals recording into a single histogram") {
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

TEST_CASE("corrected() adds the values that a stall of 100 s omitted") {
  // The example of HdrHistogram: 10,000 values of 1 ms, then one of 100 s.
  histogram hiccup;
  hiccup.record(1'000'000, 10'000);
  hiccup.record(100'000'000'000);
  CHECK(hiccup.value_at_percentile(99) <= 1'001'000);
  const histogram corrected = hiccup.corrected(10'000'000);
  // The 9,999 omitted values, within the three digits of 100 s.
  CHECK(static_cast<double>(corrected.count()) == doctest::Approx(20'000).epsilon(0.001));
  const auto near = [&](double percentile, double seconds) {
    const auto actual = static_cast<double>(corrected.value_at_percentile(percentile)) / 1e9;
    return actual == doctest::Approx(seconds).epsilon(0.002);
  };
  CHECK(near(30, 0.001));
  CHECK(near(75, 50));
  CHECK(near(90, 80));
  CHECK(near(99, 98));
  CHECK(near(99.999, 100));
  CHECK(hiccup.count() == 10'001);
  CHECK(hiccup.corrected(0).count() == 10'001);
}

TEST_CASE("an invalid range is rejected") {
  CHECK_THROWS_AS(histogram(1), std::invalid_argument);
  CHECK_THROWS_AS(histogram(~std::uint64_t{0}), std::invalid_argument);
  CHECK_THROWS_AS(histogram(1'000, 0), std::invalid_argument);
  CHECK_THROWS_AS(histogram(1'000, 6), std::invalid_argument);
  histogram widest(std::uint64_t{1} << 62U, 5);
  widest.record(std::uint64_t{1} << 62U);
  CHECK(widest.count() == 1);
}
