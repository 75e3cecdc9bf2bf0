// The cache sizes of a CPU; the memory and code kernels choose their working sets by them. Reading
// costs a few small files of sysfs. Any thread.
#pragma once

#include <cstdint>
#include <string>

namespace stallscope::kernels {

struct cache_size {
  std::uint64_t bytes = 0;
  bool known = false;  // false: assumed, because the system does not report it
};

// The defaults are the assumed sizes, those of a common server.
struct cache_sizes {
  cache_size l1d{std::uint64_t{32} << 10U};
  cache_size l1i{std::uint64_t{32} << 10U};
  cache_size l2{std::uint64_t{1} << 20U};
  cache_size l3{std::uint64_t{32} << 20U};
};

// Reads the sizes below `cpu_directory`, such as /sys/devices/system/cpu/cpu0. A level that is
// missing or implausible keeps its assumed size.
cache_sizes read_cache_sizes(const std::string& cpu_directory);

}  // namespace stallscope::kernels
