#include "disk/system_call_channel.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

#include "base/clock.hpp"

namespace stallscope::disk {
namespace {

void sleep_for(std::uint64_t length_ns) {
  const timespec length{.tv_sec = static_cast<time_t>(length_ns / 1'000'000'000),
                        .tv_nsec = static_cast<long>(length_ns % 1'000'000'000)};
  ::clock_nanosleep(CLOCK_MONOTONIC, 0, &length, nullptr);
}

}  // namespace

std::uint64_t system_call_channel::now_ns() { return monotonic_ns(); }

std::size_t system_call_channel::wait(std::span<completion> done, unsigned /*min_count*/,
                                      std::uint64_t timeout_ns) {
  if (!request_) {
    sleep_for(timeout_ns);
    return 0;
  }
  const iovec memory{.iov_base = memory_.of(request_->slot, request_->write),
                     .iov_len = block_bytes_};
  const auto offset = static_cast<off_t>(request_->offset);
  ssize_t result = 0;
  state_.store(call_state::in_call, std::memory_order_release);
  do {
    result = request_->write ? ::pwritev2(fd_, &memory, 1, offset, 0)
                             : ::preadv2(fd_, &memory, 1, offset, 0);
  } while (result < 0 && errno == EINTR);
  const int number = errno;
  if (state_.exchange(call_state::idle, std::memory_order_acquire) == call_state::abandoned) {
    for (;;) ::pause();
  }
  done[0] = {.slot = request_->slot,
             .result = static_cast<std::int32_t>(result < 0 ? -number : result)};
  request_.reset();
  return 1;
}

bool system_call_channel::abandon() noexcept {
  call_state expected = call_state::in_call;
  return state_.compare_exchange_strong(expected, call_state::abandoned, std::memory_order_acquire);
}

}  // namespace stallscope::disk
