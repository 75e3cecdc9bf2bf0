#include "count/phase_input.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/clock.hpp"

namespace stallscope::count {
namespace {

constexpr std::size_t max_line_bytes = 64;
constexpr int max_reads = 16;
constexpr long second_ns = 1'000'000'000;

bool readable(int fd) {
  pollfd entry{fd, POLLIN, 0};
  return ::poll(&entry, 1, 0) == 1;
}

}  // namespace

phase_input::phase_input(int fd)
    : fd_{fd}, timer_{::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)} {
  if (!timer_) throw std::system_error{errno, std::generic_category(), "timerfd_create"};
}

void phase_input::read_lines(std::uint64_t now_ns) {
  // The rest with the next wait, so that a flood of marks cannot keep this thread busy.
  for (int reads = 0; reads < max_reads && !closed_ && readable(fd_); ++reads) {
    std::array<char, 512> chunk{};
    const auto got = ::read(fd_, chunk.data(), chunk.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (got <= 0) {
      closed_ = true;
      schedule_.close(now_ns);
      return;
    }
    text_.append(chunk.data(), static_cast<std::size_t>(got));
    for (auto end = text_.find('\n'); end != std::string::npos; end = text_.find('\n')) {
      if (!schedule_.add(std::string_view{text_}.substr(0, end), now_ns)) ++bad_lines_;
      text_.erase(0, end + 1);
    }
    if (text_.size() <= max_line_bytes) continue;
    text_.clear();
    ++bad_lines_;
  }
}

std::optional<phase_change> phase_input::take_due() {
  read_lines(monotonic_ns());
  auto change = schedule_.take_due(monotonic_ns());
  set_timer();
  return change;
}

// Expirations are cleared by setting the timer again.
void phase_input::set_timer() const {
  const auto next_ns = static_cast<long>(schedule_.next_ns());
  itimerspec when{};
  when.it_value = {next_ns / second_ns, next_ns % second_ns};
  ::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &when, nullptr);
}

void phase_input::acknowledge(const phase_change& change, std::uint64_t applied_ns) const {
  const std::string line =
      (change.starts ? "started " : "stopped ") + std::to_string(applied_ns) + "\n";
  // Fails on a pipe, which carries marks only.
  [[maybe_unused]] const auto sent =
      ::send(fd_, line.data(), line.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

}  // namespace stallscope::count
