#include "perf_events/cpu_list.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>

namespace stallscope::perf_events {
namespace {

int parse_cpu(std::string_view text, std::string_view list) {
  int cpu = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cpu);
  if (error != std::errc{} || end != text.data() + text.size() || cpu < 0 || cpu > max_cpu) {
    throw std::invalid_argument("'" + std::string{list} + "' is not a list of CPUs such as 0-3,8");
  }
  return cpu;
}

void add_range(std::string_view range, std::string_view list, std::vector<int>& cpus) {
  const auto dash = range.find('-');
  const int first = parse_cpu(range.substr(0, dash), list);
  const int last = dash == std::string_view::npos ? first : parse_cpu(range.substr(dash + 1), list);
  if (last < first)
    throw std::invalid_argument("'" + std::string{list} + "' has a range that descends");
  for (int cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
}

}  // namespace

std::vector<int> parse_cpu_list(std::string_view text) {
  const std::string_view list = text;
  std::vector<int> cpus;
  while (true) {
    const auto comma = text.find(',');
    add_range(text.substr(0, comma), list, cpus);
    // The sum of overlapping ranges is bounded.
    if (cpus.size() > std::size_t{4} * max_cpu)
      throw std::invalid_argument("the list of CPUs is too long");
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

std::string format_cpu_list(std::span<const int> cpus) {
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(cpus[i]);
    if (last > i) text += '-' + std::to_string(cpus[last]);
    i = last + 1;
  }
  return text;
}

std::vector<int> online_cpus(const std::filesystem::path& sys) {
  const auto path = sys / "devices/system/cpu/online";
  errno = 0;
  std::ifstream file{path};
  std::string line;
  if (!std::getline(file, line)) {
    const int error = errno != 0 ? errno : ENODATA;  // an empty file sets no error
    throw std::system_error(error, std::generic_category(), "read " + path.string());
  }
  return parse_cpu_list(line);
}

}  // namespace stallscope::perf_events
