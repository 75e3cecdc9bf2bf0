#include "storm/iowait.hpp"

#include <fstream>

namespace stallscope::storm {

std::optional<cpu_ticks> read_cpu_ticks(const std::string& stat) {
  std::ifstream file{stat};
  std::string name;
  if (!(file >> name) || name != "cpu") return std::nullopt;
  // user, nice, system, idle, iowait, irq, softirq, steal; the guest fields that follow are
  // included in user and nice.
  constexpr int fields = 8;
  constexpr int iowait_field = 4;
  cpu_ticks read;
  for (int field = 0; field < fields; ++field) {
    std::uint64_t ticks = 0;
    if (!(file >> ticks)) return std::nullopt;
    read.all += ticks;
    if (field == iowait_field) read.iowait = ticks;
  }
  return read;
}

// The iowait count may decrease (proc(5)).
std::optional<double> iowait_share(const std::optional<cpu_ticks>& from,
                                   const std::optional<cpu_ticks>& until) {
  if (!from || !until || until->all <= from->all || until->iowait < from->iowait) {
    return std::nullopt;
  }
  return static_cast<double>(until->iowait - from->iowait) /
         static_cast<double>(until->all - from->all);
}

}  // namespace stallscope::storm
