#include "collect/end_watch.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/clock.hpp"

namespace stallscope::collect {
namespace {

constexpr int max_wait_ms = 1000;

failure not_closed() {
  return {exit_code::unable, "the recording could not be closed in time after a signal",
          "the data written so far are readable; look for a process or a file system that does not "
          "respond"};
}

constexpr std::string_view trigger_word = "trigger ";

flight_trigger parse_trigger(const std::string& line) {
  flight_trigger trigger;
  std::istringstream words{line.substr(trigger_word.size())};
  words >> trigger.at_ns >> std::ws;
  std::getline(words, trigger.text);
  return trigger;
}

pollfd poll_entry(int fd) { return {fd, POLLIN, 0}; }

}  // namespace

end_watch::end_watch(int control_fd, const reporter& report)
    : guard_{control_fd, {report.fd(), '\n' + report.format(not_closed())}},
      control_fd_{control_fd} {}

void end_watch::watch_rings(std::span<const perf_events::ring> rings) {
  for (const auto& ring : rings) rings_.push_back(poll_entry(ring.fd().get()));
}

void end_watch::watch_descriptor(int fd) { others_.push_back(poll_entry(fd)); }

void end_watch::watch_process(pid_t pid) {
  descriptor fd{static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))};
  if (fd) {
    processes_.push_back(std::move(fd));
  } else if (errno != ESRCH) {
    unwatched_.push_back(pid);
  }
}

void end_watch::set_duration(double seconds) {
  if (seconds > 0) deadline_ns_ = monotonic_ns() + static_cast<std::uint64_t>(seconds * 1e9);
}

int end_watch::timeout_ms() const {
  const int longest = rings_followed_ ? max_wait_ms : static_cast<int>(unfollowed_wait_.count());
  auto until = deadline_ns_ == 0 ? UINT64_MAX : deadline_ns_;
  if (wake_ns_ != 0) until = std::min(until, wake_ns_);
  if (until == UINT64_MAX) return longest;
  const auto now = monotonic_ns();
  if (now >= until) return 0;
  return static_cast<int>(
      std::min<std::uint64_t>(static_cast<std::uint64_t>(longest), (until - now) / 1'000'000 + 1));
}

void end_watch::poll_all(int timeout) {
  polled_ = {poll_entry(guard_.fd()), poll_entry(control_fd_)};
  for (const auto& process : processes_) polled_.push_back(poll_entry(process.get()));
  polled_.insert(polled_.end(), others_.begin(), others_.end());
  if (rings_followed_) polled_.insert(polled_.end(), rings_.begin(), rings_.end());
  if (::poll(polled_.data(), polled_.size(), timeout) <= 0) {
    for (auto& entry : polled_) entry.revents = 0;
  }
  // A ring in an error state would end every wait at once. Each pass reads its data anyway.
  for (std::size_t i = 0; rings_followed_ && i < rings_.size(); ++i) {
    if ((polled_[polled_.size() - rings_.size() + i].revents & (POLLERR | POLLHUP | POLLNVAL)) != 0)
      rings_[i].fd = -1;
  }
}

bool end_watch::processes_ended() {
  if (processes_.empty() && unwatched_.empty()) return false;
  for (std::size_t i = processes_.size(); i-- > 0;) {
    if (polled_[2 + i].revents != 0)
      processes_.erase(processes_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  std::erase_if(unwatched_, [](pid_t pid) { return ::kill(pid, 0) != 0 && errno == ESRCH; });
  return processes_.empty() && unwatched_.empty();
}

// Returns whether there is a signal that was not returned before.
bool end_watch::take_signal() {
  guard_.clear();
  const unsigned requests = guard_.requests();
  return std::exchange(signals_taken_, requests) != requests;
}

std::optional<std::string> end_watch::read_control() {
  std::array<char, 256> chunk{};
  const auto got = ::read(control_fd_, chunk.data(), chunk.size());
  if (got < 0)
    return errno == EINTR || errno == EAGAIN ? std::nullopt : std::optional{std::string{"stopped"}};
  if (got == 0) {
    control_fd_ = -1;
    return "control closed";
  }
  control_text_.append(chunk.data(), static_cast<std::size_t>(got));
  for (auto end = control_text_.find('\n'); end != std::string::npos;
       end = control_text_.find('\n')) {
    const std::string line = control_text_.substr(0, end);
    control_text_.erase(0, end + 1);
    if (line == "enable") enabled_ = true;
    if (line.starts_with(trigger_word)) trigger_ = parse_trigger(line);
    if (line == "stop") return "stopped";
  }
  if (control_text_.size() > chunk.size()) control_text_.clear();
  return std::nullopt;
}

std::optional<std::string> end_watch::wait() {
  poll_all(timeout_ms());
  const bool control = polled_[1].revents != 0;
  if (polled_[0].revents != 0 && take_signal()) {
    ended_by_signal_ = true;
    return "signal";
  }
  if (processes_ended()) return "target ended";
  if (control) {
    if (auto reason = read_control()) return reason;
  }
  if (deadline_ns_ != 0 && monotonic_ns() >= deadline_ns_) return "duration";
  return std::nullopt;
}

std::optional<std::string> end_watch::wait_for_enable() {
  std::optional<std::string> reason;
  while (!enabled_ && !reason) reason = wait();
  return reason;
}

bool end_watch::hurried() const { return guard_.requests() > (ended_by_signal_ ? 1U : 0U); }

bool end_watch::wait_for_processes(std::uint64_t limit_ns) {
  guard_.extend(std::chrono::nanoseconds{limit_ns});
  const auto deadline = monotonic_ns() + limit_ns;
  others_.clear();  // a closed one would end every wait at once
  while (monotonic_ns() < deadline) {
    control_fd_ = -1;
    poll_all(100);
    if (processes_ended() || (processes_.empty() && unwatched_.empty())) return true;
    if (take_signal()) return false;
  }
  return false;
}

}  // namespace stallscope::collect
