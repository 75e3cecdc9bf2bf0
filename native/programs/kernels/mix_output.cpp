#include "kernels/mix_output.hpp"

#include <numeric>

#include "base/json.hpp"

namespace stallscope::kernels {

std::string json_line(const mix_snapshot& snapshot, long pid) {
  json line = {{"schema", "stallscope.kernels.mix/1"},
               {"pid", pid},
               {"time_ns", snapshot.time_ns},
               {"cpu_ns", json::object()},
               {"threads", json::object()}};
  for (std::size_t i = 0; i < function_count; ++i) {
    line["cpu_ns"][function_names[i]] = snapshot.function_ns[i];
  }
  for (const auto& [name, cpu_ns] : snapshot.thread_ns) line["threads"][name] = cpu_ns;
  return line.dump();
}

std::string share_table(const mix_snapshot& snapshot) {
  const auto total_ns = static_cast<double>(
      std::accumulate(snapshot.function_ns.begin(), snapshot.function_ns.end(), std::uint64_t{0}));
  std::string table = "function               true share   CPU time\n";
  for (std::size_t i = 0; i < function_count; ++i) {
    const auto cpu_ns = static_cast<double>(snapshot.function_ns[i]);
    std::array<char, 96> row{};
    std::snprintf(row.data(), row.size(), "%-22s %8.1f %% %8.3f s\n", function_names[i],
                  total_ns > 0 ? 100 * cpu_ns / total_ns : 0, cpu_ns / 1e9);
    table += row.data();
  }
  return table;
}

bool write_line(std::FILE* file, const std::string& line) {
  return std::fputs((line + "\n").c_str(), file) >= 0 && std::fflush(file) == 0;
}

}  // namespace stallscope::kernels
