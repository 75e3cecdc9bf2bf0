#include "collect/end_guard.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <system_error>

#include "base/clock.hpp"
#include "base/failure.hpp"
#include "base/stop_flag.hpp"

namespace stallscope::collect {
namespace {

constexpr auto retry_pause = std::chrono::milliseconds{10};

sigset_t ending_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGINT, SIGTERM}) sigaddset(&set, number);
  // Blocking SIGHUP would cancel the effect of nohup, so an ignored SIGHUP stays ignored.
  struct sigaction hangup {};
  ::sigaction(SIGHUP, nullptr, &hangup);
  if (hangup.sa_handler != SIG_IGN) sigaddset(&set, SIGHUP);
  return set;
}

}  // namespace

sigset_t block_ending_signals() {
  sigset_t before;
  const sigset_t set = ending_signals();
  ::sigprocmask(SIG_BLOCK, &set, &before);
  ::signal(SIGPIPE, SIG_IGN);
  return before;
}

end_guard::end_guard(int control_fd, message at_deadline, time_limits limits)
    : at_deadline_{std::move(at_deadline)}, limits_{limits} {
  const sigset_t set = ending_signals();
  signals_.reset(::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
  if (!signals_) throw std::system_error(errno, std::generic_category(), "signalfd");
  try {
    thread_ = std::thread{[this, control_fd] { watch(control_fd); }};
  } catch (const std::system_error& error) {
    throw std::system_error(error.code(), "the thread that receives signals cannot start");
  }
}

end_guard::~end_guard() {
  finishing_ = true;
  finished_.signal();
  thread_.join();
}

void end_guard::watch(int control_fd) noexcept {
  // Without events, the control descriptor only reports that its other end is closed.
  std::array<pollfd, 3> entries{
      {{finished_.fd(), POLLIN, 0}, {signals_.get(), POLLIN, 0}, {control_fd, 0, 0}}};
  while (true) {
    const int ready = ::poll(entries.data(), entries.size(), timeout_ms());
    if (ready < 0) {  // out of memory, or the limit of descriptors was lowered
      std::this_thread::sleep_for(retry_pause);
      for (auto& entry : entries) entry.revents = 0;
      read_signals();
    }
    if (finishing_) return;
    if (entries[1].revents != 0) read_signals();
    if (entries[2].revents != 0) {
      entries[2] = {-1, 0, 0};
      request_stop();
      set_deadline(limits_.first);
    }
    if (deadline_ns_ != 0 && timeout_ms() == 0) end_process();
  }
}

void end_guard::read_signals() noexcept {
  signalfd_siginfo received{};
  while (::read(signals_.get(), &received, sizeof received) ==
         static_cast<ssize_t>(sizeof received)) {
    request_stop();
    set_deadline(requests_++ == 0 ? limits_.first : limits_.further);
    received_.signal();
  }
}

void end_guard::set_deadline(std::chrono::milliseconds limit) noexcept {
  const auto now = static_cast<std::int64_t>(monotonic_ns());
  const auto deadline_ns = now + std::chrono::nanoseconds{limit}.count();
  if (requests_ > 1) extension_ns_ = 0;
  deadline_ns_ = deadline_ns_ == 0 ? deadline_ns : std::min(deadline_ns_, deadline_ns);
}

int end_guard::timeout_ms() const noexcept {
  if (deadline_ns_ == 0) return -1;
  const auto left_ns = deadline_ns_ + extension_ns_ - static_cast<std::int64_t>(monotonic_ns());
  if (left_ns <= 0) return 0;
  return static_cast<int>(std::min<std::int64_t>(left_ns / 1'000'000 + 1, INT_MAX));
}

// The reader may have stalled: the message is dropped if it does not fit.
void end_guard::end_process() const noexcept {
  pollfd writable{at_deadline_.fd, POLLOUT, 0};
  if (::poll(&writable, 1, 0) > 0) {
    [[maybe_unused]] const auto written =
        ::write(at_deadline_.fd, at_deadline_.text.data(),
                std::min<std::size_t>(at_deadline_.text.size(), PIPE_BUF));
  }
  ::_exit(static_cast<int>(exit_code::unable));
}

}  // namespace stallscope::collect
