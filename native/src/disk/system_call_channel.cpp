#include "stallscope/disk/system_call_channel.hpp"

#include <sys/uio.h>

#include <cerrno>
#include <ctime>

#include "stallscope/clock.hpp"

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
  const iovec where{.iov_base = memory_.of(wanted_->slot, wanted_->write), .iov_len = block_bytes_};
  const auto offset = static_cast<off_t>(wanted_->offset);
  ssize_t result = 0;
  do {
    result = wanted_->write ? ::pwritev2(fd_, &where, 1, offset, 0)
                            : ::preadv2(fd_, &where, 1, offset, 0);
  } while (result < 0 && errno == EINTR);
  done[0] = {.slot = wanted_->slot,
             .result = static_cast<std::int32_t>(result < 0 ? -errno : result)};
  wanted_.reset();
  return 1;
}

}  // namespace stallscope::disk
