// perf's on-disk records that <linux/perf_event.h> does not define. The collector writes them and
// the capture reader reads them.
// Source: tools/lib/perf/include/perf/event.h and tools/perf/util/header.h of the Linux tree.
#pragma once

#include <array>
#include <cstdint>

namespace stallscope::perf_format {

inline constexpr std::array<char, 8> magic{'P', 'E', 'R', 'F', 'I', 'L', 'E', '2'};

// The header of perf's pipe format: the magic and its own size.
struct pipe_header {
  std::array<char, 8> magic;
  std::uint64_t size_bytes;
};
static_assert(sizeof(pipe_header) == 16);

// Record types that user space adds behind PERF_RECORD_MAX.
enum class user_record : std::uint32_t {
  header_attr = 64,
  header_event_type = 65,
  header_tracing_data = 66,
  header_build_id = 67,
  finished_round = 68,
  id_index = 69,
  auxtrace_info = 70,
  auxtrace = 71,
  auxtrace_error = 72,
  thread_map = 73,
  cpu_map = 74,
  stat_config = 75,
  stat = 76,
  stat_round = 77,
  event_update = 78,
  time_conv = 79,
  header_feature = 80,
  compressed = 81,
  finished_init = 82,
  compressed2 = 83,
};

// Feature numbers of a file's feature section and of header_feature records.
enum class feature : std::uint64_t {
  tracing_data = 1,
  build_id = 2,
  hostname = 3,
  osrelease = 4,
  version = 5,
  arch = 6,
  nrcpus = 7,
  cpudesc = 8,
  cpuid = 9,
  total_mem = 10,
  cmdline = 11,
  event_desc = 12,
  cpu_topology = 13,
  numa_topology = 14,
  branch_stack = 15,
  pmu_mappings = 16,
  group_desc = 17,
  auxtrace = 18,
  stat = 19,
  cache = 20,
  sample_time = 21,
  mem_topology = 22,
  clockid = 23,
  dir_format = 24,
  bpf_prog_info = 25,
  bpf_btf = 26,
  compressed = 27,
  cpu_pmu_caps = 28,
  clock_data = 29,
  hybrid_topology = 30,
  pmu_caps = 31,
};

// What an event_update record carries.
enum class event_update : std::uint64_t { unit = 0, scale = 1, name = 2, cpus = 3 };

// The largest record: its size field has 16 bits.
inline constexpr std::uint32_t max_record_bytes = 65'535;

}  // namespace stallscope::perf_format
