#include "ioqueue/uring_device.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <system_error>

#include "base/clock.hpp"

namespace stallscope::ioqueue {
namespace {

constexpr std::uint64_t no_operation = 0;  // marks entries that request a cancellation

}  // namespace

uring_device::uring_device(unsigned max_in_flight)
    : ring_{max_in_flight + 1}, max_in_flight_{max_in_flight} {}

bool uring_device::register_buffers(std::span<const iovec> buffers) noexcept {
  return ::io_uring_register_buffers(ring_.get(), buffers.data(),
                                     static_cast<unsigned>(buffers.size())) == 0;
}

// The ring has an entry for every operation in flight; only cancellations can fill it.
bool uring_device::start(operation& operation) {
  if (in_flight_ == max_in_flight_) return false;
  io_uring_sqe* entry = ::io_uring_get_sqe(ring_.get());
  if (entry == nullptr) return false;
  const transfer& piece = operation.piece;
  const auto bytes = static_cast<unsigned>(std::min<std::uint64_t>(piece.size_bytes, INT32_MAX));
  const int code = piece.kind == direction::read ? IORING_OP_READ : IORING_OP_WRITE;
  ::io_uring_prep_rw(code, entry, piece.file, piece.memory, bytes, piece.offset);
  if (piece.buffer >= 0) {
    entry->opcode = piece.kind == direction::read ? IORING_OP_READ_FIXED : IORING_OP_WRITE_FIXED;
    entry->buf_index = static_cast<std::uint16_t>(piece.buffer);
  }
  ::io_uring_sqe_set_data(entry, &operation);
  ++in_flight_;
  return true;
}

void uring_device::cancel(operation& operation) noexcept {
  io_uring_sqe* entry = ::io_uring_get_sqe(ring_.get());
  if (entry == nullptr) return;  // then it completes normally
  ::io_uring_prep_cancel(entry, &operation, 0);
  ::io_uring_sqe_set_data64(entry, no_operation);
}

std::size_t uring_device::wait(std::chrono::nanoseconds until) {
  const std::int64_t remaining_ns =
      std::max<std::int64_t>(0, until.count() - static_cast<std::int64_t>(monotonic_ns()));
  __kernel_timespec timeout{.tv_sec = remaining_ns / 1'000'000'000,
                            .tv_nsec = remaining_ns % 1'000'000'000};
  io_uring_cqe* first = nullptr;
  const int result = ::io_uring_submit_and_wait_timeout(ring_.get(), &first, 1, &timeout, nullptr);
  if (result < 0 && !disk::passing_error(-result)) {
    throw std::system_error(-result, std::generic_category(), "io_uring_enter");
  }
  completions_.clear();
  unsigned head = 0;
  unsigned seen = 0;
  io_uring_cqe* entry = nullptr;
  io_uring_for_each_cqe(ring_.get(), head, entry) {
    ++seen;
    if (::io_uring_cqe_get_data64(entry) == no_operation) continue;
    completions_.push_back(
        {static_cast<ioqueue::operation*>(::io_uring_cqe_get_data(entry)), entry->res});
  }
  ::io_uring_cq_advance(ring_.get(), seen);
  in_flight_ -= static_cast<unsigned>(completions_.size());
  for (const completion& completion : completions_) {
    completion.operation->complete(completion.result);
  }
  return completions_.size();
}

}  // namespace stallscope::ioqueue
