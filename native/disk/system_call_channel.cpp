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

std::size_t system_call_channel::wait(std::span<completion> done, unsigned /*least*/,
                                      std::uint64_t most_ns) {
  if (!wanted_) {
    sleep_for(most_ns);
    return 0;
  }
  const iovec memory{.iov_base = memory_.of(wanted_->slot, wanted_->write),
                     .iov_len = block_bytes_};
  const auto offset = static_cast<off_t>(wanted_->offset);
  ssize_t result = 0;
  where_.store(where::in_call, std::memory_order_release);
  do {
    result = wanted_->write ? ::pwritev2(fd_, &memory, 1, offset, 0)
                            : ::preadv2(fd_, &memory, 1, offset, 0);
  } while (result < 0 && errno == EINTR);
  const int number = errno;
  if (where_.exchange(where::ours, std::memory_order_acquire) == where::left) {
    for (;;) ::pause();
  }
  done[0] = {.slot = wanted_->slot,
             .result = static_cast<std::int32_t>(result < 0 ? -number : result)};
  wanted_.reset();
  return 1;
}

bool system_call_channel::leave_behind() noexcept {
  where expected = where::in_call;
  return where_.compare_exchange_strong(expected, where::left, std::memory_order_acquire);
}

}  // namespace stallscope::disk
