#include "ioqueue/cost.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace stallscope::ioqueue {
namespace {

constexpr double units_per_s = 1e8;

std::uint32_t units(const std::string& rate, double seconds) {
  const double rounded = std::round(seconds * units_per_s);
  if (!(rounded >= 0 && rounded <= std::numeric_limits<std::uint32_t>::max())) {
    throw std::invalid_argument(rate + " must be a positive number, and not tiny");
  }
  return static_cast<std::uint32_t>(rounded);
}

// Each request of the rate carries one block: the rest of its time is the base cost.
cost_model::by_direction costs_of(const std::string& kind, double iops, double bytes_per_s) {
  if (!(iops > 0)) throw std::invalid_argument(kind + "_iops must be positive");
  if (!(bytes_per_s > 0)) {
    throw std::invalid_argument(kind + "_bandwidth must be positive");
  }
  const double block_s = static_cast<double>(block_bytes) / bytes_per_s;
  return {.base = units(kind + "_iops", std::max(0.0, 1 / iops - block_s)),
          .block = units(kind + "_bandwidth", block_s)};
}

}  // namespace

cost cost_model::of(direction kind, std::uint64_t size_bytes) const noexcept {
  const by_direction& rule = kind == direction::read ? read : write;
  const std::uint64_t blocks = size_bytes / block_bytes + (size_bytes % block_bytes != 0 ? 1 : 0);
  if (rule.block != 0 && blocks > max_cost / rule.block) return max_cost;
  return std::clamp<cost>(rule.base + rule.block * blocks, 1, max_cost);
}

std::uint64_t cost_model::bytes_within(direction kind, cost limit) const noexcept {
  const by_direction& rule = kind == direction::read ? read : write;
  if (limit < std::max<cost>(rule.base, 1)) return 0;
  if (rule.block == 0) return std::numeric_limits<std::uint64_t>::max() / block_bytes * block_bytes;
  return (limit - rule.base) / rule.block * block_bytes;
}

cost_model each_costs_one(double iops) { return {.read = {}, .write = {}, .per_s = iops}; }

cost_model cost_from_rates(const device_rates& rates) {
  return {.read = costs_of("read", rates.read_iops, rates.read_bytes_per_s),
          .write = costs_of("write", rates.write_iops, rates.write_bytes_per_s),
          .per_s = units_per_s};
}

}  // namespace stallscope::ioqueue
