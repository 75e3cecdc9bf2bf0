#include "collect/thread_readings.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <climits>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/clock.hpp"
#include "collect/document_parts.hpp"

namespace stallscope::collect {
namespace {

constexpr std::size_t max_thread_lines = 65'536;
constexpr std::size_t max_descriptor_lines = 4'096;

std::string line_of(const json& document) { return dump_document(document, -1); }

std::string thread_line(const procfs& proc, pid_t pid, pid_t tid, const std::string& moment,
                        const std::string& cgroup) {
  const auto folder = proc.root() / std::to_string(pid) / "task" / std::to_string(tid);
  const auto stat = read_text(folder / "stat", 4096);
  const auto state = thread_state_of(stat);
  if (state.empty()) return {};
  json run = nullptr;
  json queue = nullptr;
  json runs = nullptr;
  std::istringstream statistics{read_text(folder / "schedstat", 256)};
  std::uint64_t run_ns = 0;
  std::uint64_t queue_ns = 0;
  std::uint64_t run_count = 0;
  if (statistics >> run_ns >> queue_ns >> run_count) {
    runs = run_count;
    run = run_ns;
    queue = queue_ns;
  }
  const auto call = parse_system_call(read_text(folder / "syscall", 512));
  const auto faults = major_faults_of(stat);
  return line_of({{"type", "thread"},
                  {"moment", moment},
                  {"at_ns", monotonic_ns()},
                  {"pid", pid},
                  {"tid", tid},
                  {"state", state},
                  {"run_ns", run},
                  {"queue_ns", queue},
                  {"runs", runs},
                  {"syscall", call ? json(*call) : json(nullptr)},
                  {"major_faults", faults ? json(*faults) : json(nullptr)},
                  {"cgroup", cgroup}});
}

// The kind of a link in /proc/PID/fd.
const char* kind_of(std::string_view target) {
  constexpr std::array<std::pair<std::string_view, const char*>, 6> kinds{
      {{"socket:[", "socket"},
       {"pipe:[", "pipe"},
       {"anon_inode:[eventfd]", "eventfd"},
       {"anon_inode:[eventpoll]", "epoll"},
       {"anon_inode:[timerfd]", "timerfd"},
       {"/dev/", "device"}}};
  for (const auto& [prefix, kind] : kinds)
    if (target.starts_with(prefix)) return kind;
  return target.starts_with("/") ? "file" : "other";
}

// Returns whether an open device is a disk or a partition: its transfers wait for a disk.
bool is_disk(const std::filesystem::path& link, std::string_view target) {
  std::error_code error;
  return target.starts_with("/dev/") && std::filesystem::is_block_file(link, error);
}

}  // namespace

std::string thread_state_of(const std::string& stat) {
  // The name before it may hold any bytes.
  const auto end = stat.rfind(')');
  return end == std::string::npos || end + 2 >= stat.size() ? "" : stat.substr(end + 2, 1);
}

std::optional<std::uint64_t> major_faults_of(const std::string& stat) {
  constexpr int fields_before = 9;  // from the state on
  const auto end = stat.rfind(')');
  if (end == std::string::npos) return std::nullopt;
  std::istringstream fields{stat.substr(end + 1)};
  std::string skipped;
  for (int i = 0; i < fields_before; ++i) fields >> skipped;
  std::uint64_t faults = 0;
  return fields >> faults ? std::optional{faults} : std::nullopt;
}

std::optional<system_call> parse_system_call(const std::string& text) {
  std::istringstream fields{text};
  system_call call{};
  for (std::size_t i = 0; i < call.size(); ++i) {
    std::string word;
    if (!(fields >> word)) return std::nullopt;
    const std::string_view digits = std::string_view{word}.substr(i == 0 ? 0 : 2);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), call[i], i == 0 ? 10 : 16);
    if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  }
  return call;
}

std::string cpu_cgroup_of(const std::string& text) {
  std::istringstream lines{text};
  std::string unified;
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const auto controllers = ',' + line.substr(first + 1, second - first - 1) + ',';
    if (controllers.find(",cpu,") != std::string::npos) return line.substr(second + 1);
    if (controllers == ",,") unified = line.substr(second + 1);
  }
  return unified;
}

std::string thread_lines(const procfs& proc, pid_t pid, const std::string& moment) {
  std::string lines;
  const auto cgroup =
      cpu_cgroup_of(read_text(proc.root() / std::to_string(pid) / "cgroup", 1 << 16));
  auto tids = proc.threads(pid);
  tids.resize(std::min(tids.size(), max_thread_lines));
  for (const pid_t tid : tids) lines += thread_line(proc, pid, tid, moment, cgroup);
  return lines;
}

std::string descriptor_lines(const procfs& proc, pid_t pid, const std::string& moment) {
  std::string lines;
  std::size_t count = 0;
  std::error_code error;
  const auto folder = proc.root() / std::to_string(pid) / "fd";
  for (std::filesystem::directory_iterator at{folder, error}, end; !error && at != end;
       at.increment(error)) {
    if (++count > max_descriptor_lines) break;
    std::array<char, PATH_MAX> target{};
    const auto size = ::readlink(at->path().c_str(), target.data(), target.size());
    if (size <= 0) continue;
    const std::string text{target.data(), static_cast<std::size_t>(size)};
    lines += line_of({{"type", "descriptor"},
                      {"moment", moment},
                      {"pid", pid},
                      {"fd", std::atoi(at->path().filename().c_str())},
                      {"kind", is_disk(at->path(), text) ? "block device" : kind_of(text)},
                      {"target", text}});
  }
  return lines;
}

run_totals runs_of(const procfs& proc, std::span<const pid_t> pids) {
  run_totals sum;
  for (const pid_t pid : pids) {
    for (const pid_t tid : proc.threads(pid)) {
      std::istringstream fields{read_text(
          proc.root() / std::to_string(pid) / "task" / std::to_string(tid) / "schedstat", 256)};
      std::uint64_t run_ns = 0;
      std::uint64_t queue_ns = 0;
      std::uint64_t runs = 0;
      if (!(fields >> run_ns >> queue_ns >> runs)) continue;
      sum.runs += runs;
      sum.run_ns += run_ns;
    }
  }
  return sum;
}

}  // namespace stallscope::collect
