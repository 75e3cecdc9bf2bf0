#include "collect/namespace_threads.hpp"

#include <charconv>
#include <string>

namespace stallscope::collect {
namespace {

constexpr std::uint64_t between_reads_ns = 100'000'000;
constexpr std::size_t max_status_bytes = 8'192;

namespace_numbers numbers_of(const procfs& proc, pid_t pid, pid_t tid) {
  return parse_namespace_numbers(
      read_text(proc.root() / std::to_string(pid) / "task" / std::to_string(tid) / "status",
                max_status_bytes));
}

}  // namespace

namespace_numbers parse_namespace_numbers(std::string_view status) {
  constexpr std::string_view key = "\nNSpid:";
  const auto begin = status.find(key);
  if (begin == std::string_view::npos) return {};
  auto line = status.substr(begin + key.size());
  line = line.substr(0, line.find('\n'));
  namespace_numbers numbers;
  while (!line.empty()) {
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
    if (error == std::errc{}) {
      if (numbers.outermost == 0) numbers.outermost = number;
      numbers.innermost = number;
      line.remove_prefix(static_cast<std::size_t>(end - line.data()));
    } else {
      line.remove_prefix(1);
    }
  }
  return numbers;
}

namespace_threads::namespace_threads(const procfs& proc, pid_t pid) : proc_{proc}, pid_{pid} {
  const auto numbers = numbers_of(proc_, pid_, pid_);
  same_namespace_ = numbers.outermost == numbers.innermost;
}

std::uint32_t namespace_threads::recorder_tid(std::uint32_t tid, std::uint64_t now_ns) {
  if (same_namespace_) return tid;
  auto place = recorder_tids_.find(tid);
  if (place == recorder_tids_.end() && now_ns >= next_read_ns_) {
    read(now_ns);
    place = recorder_tids_.find(tid);
  }
  return place == recorder_tids_.end() ? 0 : place->second;
}

void namespace_threads::read(std::uint64_t now_ns) {
  next_read_ns_ = now_ns + between_reads_ns;
  for (const pid_t tid : proc_.threads(pid_)) {
    const auto numbers = numbers_of(proc_, pid_, tid);
    if (numbers.innermost != 0) recorder_tids_[numbers.innermost] = numbers.outermost;
  }
}

}  // namespace stallscope::collect
