#include "collect/process_exclusions.hpp"

#include <cstdlib>
#include <string>
#include <string_view>

namespace stallscope::collect {
namespace {

constexpr std::size_t max_processes_of_user = 3;

}  // namespace

void process_exclusions::add(pid_t pid) {
  const auto user = user_of(pid);
  const std::scoped_lock lock{mutex_};
  processes_.insert(pid);
  if (user) ++users_[*user];
  any_ = true;
}

void process_exclusions::forget(pid_t pid) {
  if (!any()) return;
  const std::scoped_lock lock{mutex_};
  processes_.erase(pid);
}

bool process_exclusions::contains(pid_t pid) {
  if (!any()) return false;
  const auto user = user_of(pid);
  const std::scoped_lock lock{mutex_};
  if (processes_.contains(pid)) return true;
  const auto of_user = user ? users_.find(*user) : users_.end();
  return of_user != users_.end() && of_user->second >= max_processes_of_user;
}

// The real user: a set-user-id program belongs to the user that started it.
std::optional<uid_t> process_exclusions::user_of(pid_t pid) const {
  static constexpr std::string_view key{"\nUid:\t"};
  const auto status = read_text(proc_.root() / std::to_string(pid) / "status");
  const auto at = status.find(key);
  if (at == std::string::npos) return std::nullopt;
  return static_cast<uid_t>(std::strtoul(status.c_str() + at + key.size(), nullptr, 10));
}

}  // namespace stallscope::collect
