// The sizes of a CPU's caches, by which the memory and code kernels measure themselves.
#pragma once

#include <cstdint>
#include <filesystem>

namespace stallscope::kernels {

struct cache_size {
  std::uint64_t bytes = 0;
  bool known = false;  // false: assumed, for the system does not tell
};

// As if nothing were known; the assumptions are a common server's.
struct cache_sizes {
  cache_size l1d{std::uint64_t{32} << 10U};
  cache_size l1i{std::uint64_t{32} << 10U};
  cache_size l2{std::uint64_t{1} << 20U};
  cache_size l3{std::uint64_t{32} << 20U};
};

// What `cpu_directory` (/sys/devices/system/cpu/cpu0) says; a level that is missing there or makes
// no sense stays assumed. Reads a few small files.
cache_sizes read_cache_sizes(const std::filesystem::path& cpu_directory);

}  // namespace stallscope::kernels
