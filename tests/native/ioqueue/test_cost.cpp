#include <doctest/doctest.h>

#include <limits>
#include <stdexcept>

#include "ioqueue/cost.hpp"

namespace {

using stallscope::ioqueue::cost_from_rates;
using stallscope::ioqueue::cost_model;
using stallscope::ioqueue::direction;

constexpr stallscope::ioqueue::device_rates ssd{.read_iops = 100'000,
                                                .read_bytes_per_s = 4096.0 * 400'000,
                                                .write_iops = 50'000,
                                                .write_bytes_per_s = 4096.0 * 100'000};

}  // namespace

TEST_CASE("a 4 KiB request costs by the request rate, a large request by the bandwidth") {
  const cost_model costs = cost_from_rates(ssd);
  CHECK(costs.of(direction::read, 4096) == 1000);         // 10 us in units of 10 ns
  CHECK(costs.of(direction::write, 4096) == 2000);        // 20 us
  CHECK(costs.of(direction::read, 40960) == 750 + 2500);  // each block takes 2.5 us
  CHECK(costs.of(direction::write, 40960) == 1000 + 10'000);
  CHECK(costs.per_s == 1e8);
}

TEST_CASE("a started block costs a whole block, and every request costs something") {
  const cost_model costs = cost_from_rates(ssd);
  CHECK(costs.of(direction::read, 4097) == costs.of(direction::read, 8192));
  CHECK(costs.of(direction::read, 1) == costs.of(direction::read, 4096));
  CHECK(costs.of(direction::read, 0) == 750);
  CHECK(cost_model{.read = {.base = 0}, .write = {}}.of(direction::read, 4096) == 1);
}

TEST_CASE("if requests of 4 KiB reach the bandwidth, the base cost is zero") {
  const cost_model costs = cost_from_rates({.read_iops = 1000,
                                            .read_bytes_per_s = 4096.0 * 500,
                                            .write_iops = 1000,
                                            .write_bytes_per_s = 4096.0 * 1000});
  CHECK(costs.of(direction::read, 0) == 1);
  CHECK(costs.of(direction::read, 4096) == 200'000);
  CHECK(costs.of(direction::write, 4096) == 100'000);
}

TEST_CASE("with equal costs a request costs 1, and the cost of a huge request does not overflow") {
  const cost_model alike = stallscope::ioqueue::each_costs_one();
  CHECK(alike.of(direction::write, 1) == 1);
  CHECK(alike.of(direction::read, std::numeric_limits<std::uint64_t>::max()) == 1);
  CHECK(cost_from_rates(ssd).of(direction::read, std::numeric_limits<std::uint64_t>::max()) ==
        stallscope::ioqueue::max_cost);
}

TEST_CASE("the bytes that fit a cost do not exceed it, and another block would") {
  const cost_model costs = cost_from_rates(ssd);
  for (const std::uint64_t most : {750U, 999U, 1000U, 1250U, 4000U, 123'456U}) {
    const std::uint64_t fitting = costs.bytes_within(direction::read, most);
    CHECK(fitting % 4096 == 0);
    CHECK(costs.of(direction::read, fitting) <= most);
    CHECK(costs.of(direction::read, fitting + 1) > most);
  }
  CHECK(costs.bytes_within(direction::read, 749) == 0);
  CHECK(stallscope::ioqueue::each_costs_one().bytes_within(direction::read, 1) > 1U << 30U);
}

TEST_CASE("invalid rates are rejected") {
  for (const double wrong : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), 1e-9}) {
    auto rates = ssd;
    rates.write_iops = wrong;
    CHECK_THROWS_AS(cost_from_rates(rates), std::invalid_argument);
    rates = ssd;
    rates.read_bytes_per_s = wrong;
    CHECK_THROWS_AS(cost_from_rates(rates), std::invalid_argument);
  }
}
