#include "process_reading/native_ids.hpp"

#include <sstream>
#include <string>

namespace stallscope::process_reading {
namespace {

constexpr std::size_t max_native_ids = 20'000;

}  // namespace

std::vector<pid_t> namespace_ids(const procfs& proc, pid_t pid, pid_t tid) {
  const auto folder = proc.root() / std::to_string(pid) / "task" / std::to_string(tid);
  std::istringstream lines{read_text(folder / "status")};
  std::vector<pid_t> ids;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("NSpid:")) continue;
    std::istringstream numbers{line.substr(6)};
    for (pid_t id = 0; numbers >> id;) ids.push_back(id);
  }
  return ids;
}

pid_t native_ids::of(pid_t tid) {
  if (!in_other_namespace_) return tid;
  if (ids_.size() > max_native_ids) ids_.clear();
  auto& id = ids_[tid];
  if (id == 0) {
    const auto ids = namespace_ids(proc_, pid_, tid);
    id = ids.empty() ? tid : ids.back();
  }
  return id;
}

}  // namespace stallscope::process_reading
