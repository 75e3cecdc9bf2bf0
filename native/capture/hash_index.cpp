#include "capture/hash_index.hpp"

#include <random>

namespace stallscope::capture {

std::uint64_t hash_seed() {
  static const std::uint64_t seed = [] {
    std::random_device device;
    return static_cast<std::uint64_t>(device()) << 32U | device() | 1U;
  }();
  return seed;
}

}  // namespace stallscope::capture
