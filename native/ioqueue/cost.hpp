// What a request costs its class and the device: an integer, a base by direction and so much for
// each 4 KiB begun, at least 1. One division and one multiplication; any thread.
#pragma once

#include <cstdint>

#include "ioqueue/transfer.hpp"

namespace stallscope::ioqueue {

using cost = std::uint64_t;

constexpr std::uint64_t block_bytes = 4096;
// Dearer ones are taken for this much, so that sums over shares never overflow.
constexpr cost most_cost = cost{1} << 40U;

// What a disk does alone in each direction, as io-properties.yaml or a response curve tells it;
// bandwidths in bytes.
struct device_rates {
  double read_iops = 0;
  double read_bytes_per_s = 0;
  double write_iops = 0;
  double write_bytes_per_s = 0;
};

struct cost_model {
  struct by_direction {
    std::uint32_t first = 1;  // for being a request at all
    std::uint32_t block = 0;  // for each 4 KiB
  };
  by_direction read;
  by_direction write;
  // How much of it the device does in a second; 0: nobody knows.
  double per_s = 0;

  [[nodiscard]] cost of(direction way, std::uint64_t size_bytes) const noexcept;
  // The most bytes, in whole blocks, that cost no more than this; 0 where not even one block does.
  [[nodiscard]] std::uint64_t bytes_within(direction way, cost most) const noexcept;
};

// Each request costs 1, whatever its size: a limit on cost is then one on their number. `iops`:
// how many the device does in a second, 0 where nobody knows.
cost_model each_costs_one(double iops = 0);

// A unit is 10 ns of a device that is busy with nothing else, so that a 4 KiB request costs what
// 1/iops is and a large one what its bandwidth says. Throws std::invalid_argument where a rate is
// not a positive number that leaves costs below 2^32 units.
cost_model cost_from_rates(const device_rates& rates);

}  // namespace stallscope::ioqueue
