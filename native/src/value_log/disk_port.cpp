#include "stallscope/value_log/disk_port.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>

namespace stallscope::value_log {
namespace {

constexpr unsigned ring_entries = 256;
constexpr std::uint64_t most_in_ring = 1024;  // what its completion queue holds
constexpr std::size_t most_queued = std::size_t{1} << 16U;
// Longer ones, such as batches of large values, go in pieces, between which the other class passes.
constexpr std::uint64_t most_bytes = std::uint64_t{128} << 10U;
constexpr std::uint64_t sync_mark = 1;  // lowest bit of a ring entry's mark; pointers have it clear

ioqueue::queue_settings queue_settings_of(const disk_port_settings& settings) {
  return {.costs = ioqueue::each_costs_one(),
          .limit = settings.limit,
          .tokens = std::nullopt,
          .most_bytes = most_bytes};
}

std::int64_t transfer_now(const ioqueue::transfer& piece) {
  const auto offset = static_cast<off_t>(piece.offset);
  const ssize_t carried = piece.way == ioqueue::direction::read
                              ? ::pread(piece.file, piece.memory, piece.size_bytes, offset)
                              : ::pwrite(piece.file, piece.memory, piece.size_bytes, offset);
  return carried < 0 ? -errno : carried;
}

}  // namespace

disk_port::disk_port(reactor& loop, const disk_port_settings& settings)
    : loop_(loop), queue_(*this, clock_, queue_settings_of(settings)) {
  const std::array shares{settings.query_shares, settings.compaction_shares};
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    classes_[i] = queue_.add_class(
        {.name = std::string(io_class_names[i]), .shares = shares[i], .most_queued = most_queued});
  }
  io_uring_params wanted{};
  wanted.flags = IORING_SETUP_CQSIZE;
  wanted.cq_entries = static_cast<unsigned>(most_in_ring);
  has_ring_ = ::io_uring_queue_init_params(ring_entries, &ring_, &wanted) == 0;
  if (has_ring_ && ::io_uring_register_eventfd(&ring_, bell_.fd()) != 0) {
    ::io_uring_queue_exit(&ring_);
    has_ring_ = false;
  }
  loop_.watch(bell_.fd(), EPOLLIN, *this);
}

disk_port::~disk_port() {
  loop_.forget(bell_.fd(), *this);
  if (has_ring_) ::io_uring_queue_exit(&ring_);
}

void disk_port::submit(io_request& request) {
  const auto number = classes_[static_cast<std::size_t>(request.of)];
  if (!refused_.empty() || !queue_.submit(number, request)) refused_.push_back(&request);
  wake();
}

void disk_port::offer_refused() {
  while (!refused_.empty()) {
    io_request& first = *refused_.front();
    if (!queue_.submit(classes_[static_cast<std::size_t>(first.of)], first)) return;
    refused_.pop_front();
  }
}

io_uring_sqe* disk_port::next_entry() {
  io_uring_sqe* entry = ::io_uring_get_sqe(&ring_);
  if (entry != nullptr) return entry;
  ::io_uring_submit(&ring_);
  return ::io_uring_get_sqe(&ring_);
}

void disk_port::sync(int file, io_request& request) {
  const auto mark = reinterpret_cast<std::uint64_t>(&request) | sync_mark;
  io_uring_sqe* entry = has_ring_ ? next_entry() : nullptr;
  ++in_ring_;
  if (entry == nullptr) {
    ended_.emplace_back(mark, ::fdatasync(file) == 0 ? 0 : -errno);
    bell_.ring();
    return;
  }
  ::io_uring_prep_fsync(entry, file, IORING_FSYNC_DATASYNC);
  ::io_uring_sqe_set_data64(entry, mark);
  wake();
}

bool disk_port::start(ioqueue::operation& begun) {
  if (in_ring_ >= most_in_ring) return false;
  const ioqueue::transfer& piece = begun.piece;
  const auto mark = reinterpret_cast<std::uint64_t>(&begun);
  if (!has_ring_) {
    ++in_ring_;
    ended_.emplace_back(mark, transfer_now(piece));
    bell_.ring();
    return true;
  }
  io_uring_sqe* entry = next_entry();
  if (entry == nullptr) return false;
  ++in_ring_;
  const auto bytes = static_cast<unsigned>(piece.size_bytes);
  if (piece.way == ioqueue::direction::read) {
    ::io_uring_prep_read(entry, piece.file, piece.memory, bytes, piece.offset);
  } else {
    ::io_uring_prep_write(entry, piece.file, piece.memory, bytes, piece.offset);
  }
  ::io_uring_sqe_set_data64(entry, mark);
  return true;
}

void disk_port::flush() {
  if (has_ring_) ::io_uring_submit(&ring_);
}

// Nothing of ours is cancelled: what was begun ends soon, or the disk is broken.
void disk_port::cancel(ioqueue::operation& /*unwanted*/) noexcept {}

void disk_port::wake() {
  if (scheduled_) return;
  scheduled_ = true;
  loop_.schedule(*this);
}

void disk_port::run() {
  scheduled_ = false;
  offer_refused();
  queue_.dispatch();
  flush();
}

void disk_port::on_events(std::uint32_t /*events*/) {
  bell_.clear();
  reap();
  run();
}

void disk_port::take(std::uint64_t mark, std::int64_t result) {
  --in_ring_;
  if ((mark & sync_mark) != 0) {
    reinterpret_cast<io_request*>(mark & ~sync_mark)->io_done(result);
  } else {
    reinterpret_cast<ioqueue::operation*>(mark)->complete(result);
  }
}

void disk_port::reap() {
  for (std::size_t left = ended_.size(); left != 0; --left) {
    const auto [mark, result] = ended_.front();
    ended_.pop_front();
    take(mark, result);
  }
  if (!has_ring_) return;
  io_uring_cqe* entry = nullptr;
  while (::io_uring_peek_cqe(&ring_, &entry) == 0) {
    const std::uint64_t mark = ::io_uring_cqe_get_data64(entry);
    const std::int64_t result = entry->res;
    ::io_uring_cqe_seen(&ring_, entry);
    take(mark, result);
  }
}

std::uint64_t disk_port::queued() {
  return metrics(io_class::queries).queued + metrics(io_class::compaction).queued;
}

void disk_port::drain() {
  for (;;) {
    run();
    if (in_ring_ == 0 && ended_.empty() && refused_.empty() && queued() == 0) return;
    if (has_ring_ && ended_.empty() && in_ring_ != 0) ::io_uring_submit_and_wait(&ring_, 1);
    reap();
  }
}

const ioqueue::class_metrics& disk_port::metrics(io_class of) {
  return queue_.metrics(classes_[static_cast<std::size_t>(of)]);
}

}  // namespace stallscope::value_log
