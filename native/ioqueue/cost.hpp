// The cost of a request to its class and to the device: an integer of at least 1, made of a base
// for each direction and a cost per started block of 4 KiB. One division and one multiplication.
// Any thread.
//
//   const cost_model costs = cost_from_rates({.read_iops = 200e3, .read_bytes_per_s = 2e9, ...});
//   const cost units = costs.of(direction::read, 65536);
#pragma once

#include <cstdint>

#include "ioqueue/transfer.hpp"

namespace stallscope::ioqueue {

using cost = std::uint64_t;

constexpr std::uint64_t block_bytes = 4096;
// The cost of a request is limited to this, so that sums over shares never overflow.
constexpr cost max_cost = cost{1} << 40U;

// The rates of a disk in each direction alone, from io-properties.yaml or a response curve.
struct device_rates {
  double read_iops = 0;
  double read_bytes_per_s = 0;
  double write_iops = 0;
  double write_bytes_per_s = 0;
};

struct cost_model {
  struct by_direction {
    std::uint32_t base = 1;   // of every request
    std::uint32_t block = 0;  // of every 4 KiB
  };
  by_direction read;
  by_direction write;
  // Cost that the device serves per second; 0: unknown.
  double per_s = 0;

  [[nodiscard]] cost of(direction kind, std::uint64_t size_bytes) const noexcept;
  // The largest number of bytes, in whole blocks, that costs at most `limit`; 0 if one block is
  // dearer.
  [[nodiscard]] std::uint64_t bytes_within(direction kind, cost limit) const noexcept;
};

// Every request costs 1, so that a limit on cost is a limit on their number. `iops` is the rate of
// the device in requests per second, 0 if unknown.
cost_model each_costs_one(double iops = 0);

// One unit is 10 ns of the device's time: a 4 KiB request costs 1/iops, a large one what the
// bandwidth gives. Throws std::invalid_argument unless every rate is positive and every cost is
// below 2^32 units.
cost_model cost_from_rates(const device_rates& rates);

}  // namespace stallscope::ioqueue
