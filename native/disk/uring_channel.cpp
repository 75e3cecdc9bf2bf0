#include "disk/uring_channel.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "base/clock.hpp"

namespace stallscope::disk {
namespace {

constexpr std::size_t max_registered_bytes = std::size_t{1}
                                             << 30U;  // limit of the kernel per buffer

}  // namespace

uring_channel::uring_channel(const uring_settings& settings, buffers& memory)
    : settings_{settings}, memory_{memory}, ring_{settings.depth + 1} {
  if (settings_.registered) register_resources();
}

// Registration is optional: requests also work without it, but slower. The accessors report it.
void uring_channel::register_resources() {
  file_registered_ = ::io_uring_register_files(ring_.get(), &settings_.fd, 1) == 0;
  const std::span<std::byte> all = memory_.all();
  const iovec whole{.iov_base = all.data(), .iov_len = all.size()};
  buffers_registered_ = all.size() <= max_registered_bytes &&
                        ::io_uring_register_buffers(ring_.get(), &whole, 1) == 0;
  ::io_uring_register_ring_fd(ring_.get());
}

std::uint64_t uring_channel::now_ns() { return monotonic_ns(); }

void uring_channel::prepare(const disk::request& request) {
  io_uring_sqe* entry =
      ::io_uring_get_sqe(ring_.get());  // never null: there are more entries than slots
  std::byte* memory = memory_.of(request.slot, request.write);
  const int fd = file_registered_ ? 0 : settings_.fd;
  const int operation = buffers_registered_
                            ? (request.write ? IORING_OP_WRITE_FIXED : IORING_OP_READ_FIXED)
                            : (request.write ? IORING_OP_WRITE : IORING_OP_READ);
  ::io_uring_prep_rw(operation, entry, fd, memory, settings_.block_bytes, request.offset);
  entry->buf_index = 0;
  entry->user_data = request.slot;
  if (file_registered_) entry->flags |= IOSQE_FIXED_FILE;
}

void uring_channel::submit() {
  const int result = ::io_uring_submit(ring_.get());
  if (result < 0 && !passing_error(-result)) {
    throw std::system_error(-result, std::generic_category(), "io_uring_enter");
  }
}

std::size_t uring_channel::wait(std::span<completion> done, unsigned min_count,
                                std::uint64_t timeout_ns) {
  __kernel_timespec timeout{.tv_sec = static_cast<std::int64_t>(timeout_ns / 1'000'000'000),
                            .tv_nsec = static_cast<std::int64_t>(timeout_ns % 1'000'000'000)};
  io_uring_cqe* first = nullptr;
  const int result =
      ::io_uring_submit_and_wait_timeout(ring_.get(), &first, min_count, &timeout, nullptr);
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
