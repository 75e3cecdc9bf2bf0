#include "disk/uring_channel.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "base/clock.hpp"

namespace stallscope::disk {
namespace {

constexpr std::size_t most_registered_bytes = std::size_t{1} << 30U;  // the kernel's, of one buffer

}  // namespace

uring_channel::uring_channel(const uring_choice& chosen, buffers& memory)
    : chosen_{chosen}, memory_{memory}, ring_{chosen.depth + 1} {
  if (chosen_.registered) enlist();
}

// What cannot be registered works as well without, if slower; the accessors say what is.
void uring_channel::enlist() {
  file_registered_ = ::io_uring_register_files(ring_.get(), &chosen_.fd, 1) == 0;
  const std::span<std::byte> all = memory_.all();
  const iovec whole{.iov_base = all.data(), .iov_len = all.size()};
  buffers_registered_ = all.size() <= most_registered_bytes &&
                        ::io_uring_register_buffers(ring_.get(), &whole, 1) == 0;
  ::io_uring_register_ring_fd(ring_.get());
}

std::uint64_t uring_channel::now_ns() { return monotonic_ns(); }

void uring_channel::prepare(const request& wanted) {
  io_uring_sqe* entry = ::io_uring_get_sqe(ring_.get());  // there are more entries than slots
  std::byte* memory = memory_.of(wanted.slot, wanted.write);
  const int fd = file_registered_ ? 0 : chosen_.fd;
  const int operation = buffers_registered_
                            ? (wanted.write ? IORING_OP_WRITE_FIXED : IORING_OP_READ_FIXED)
                            : (wanted.write ? IORING_OP_WRITE : IORING_OP_READ);
  ::io_uring_prep_rw(operation, entry, fd, memory, chosen_.block_bytes, wanted.offset);
  entry->buf_index = 0;
  entry->user_data = wanted.slot;
  if (file_registered_) entry->flags |= IOSQE_FIXED_FILE;
}

void uring_channel::submit() {
  const int result = ::io_uring_submit(ring_.get());
  if (result < 0 && !passing_error(-result)) {
    throw std::system_error(-result, std::generic_category(), "io_uring_enter");
  }
}

std::size_t uring_channel::wait(std::span<completion> done, unsigned least, std::uint64_t most_ns) {
  __kernel_timespec most{.tv_sec = static_cast<std::int64_t>(most_ns / 1'000'000'000),
                         .tv_nsec = static_cast<std::int64_t>(most_ns % 1'000'000'000)};
  io_uring_cqe* first = nullptr;
  const int result = ::io_uring_submit_and_wait_timeout(ring_.get(), &first, least, &most, nullptr);
  if (result < 0 && !passing_error(-result)) {
    throw std::system_error(-result, std::generic_category(), "io_uring_enter");
  }
  std::size_t count = 0;
  unsigned head = 0;
  io_uring_cqe* entry = nullptr;
  io_uring_for_each_cqe(ring_.get(), head, entry) {
    if (count == done.size()) break;
    done[count++] = {.slot = static_cast<unsigned>(entry->user_data), .result = entry->res};
  }
  ::io_uring_cq_advance(ring_.get(), static_cast<unsigned>(count));
  return count;
}

}  // namespace stallscope::disk
