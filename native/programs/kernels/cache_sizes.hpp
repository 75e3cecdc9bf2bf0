// The sizes of a CPU's caches, by which the memory and code kernels measure themselves.
#pragma once

#include <cstdint>
#include <filesystem>

namespace stallscope::kernels {

struct CacheSize {
  std::uint64_t bytes = 0;
  bool known = false;  // false: assumed, for the system does not tell
};

// As if nothing were known; the assumptions are a common server's.
struct CacheSizes {
  CacheSize l1d{std::uint64_t{32} << 10U};
  CacheSize l1i{std::uint64_t{32} << 10U};
  CacheSize l2{std::uint64_t{1} << 20U};
  CacheSize l3{std::uint64_t{32} << 20U};
};

// What `cpu_directory` (/sys/devices/system/cpu/cpu0) says; a level that is missing there or makes
// no sense stays assumed. Reads a few small files.
CacheSizes read_cache_sizes(const std::filesystem::path& cpu_directory);

}  // namespace stallscope::kernels
