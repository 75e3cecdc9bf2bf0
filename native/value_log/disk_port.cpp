#include "value_log/disk_port.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <new>
#include <string>

#include "disk/ring.hpp"
#include "value_log/record.hpp"

namespace stallscope::value_log {
namespace {

constexpr unsigned ring_entries = 256;
constexpr std::uint64_t max_under_way = 1024;  // capacity of the completion queue
constexpr std::uint64_t max_syncs = 16;        // appender and compaction have one each
constexpr std::size_t max_queued = std::size_t{1} << 16U;
// Longer transfers, such as batches of large values, are split so that the other class can pass
// between the pieces.
constexpr std::uint64_t max_bytes = std::uint64_t{128} << 10U;
// lowest bit of the mark of a ring entry; pointers have it clear
constexpr std::uint64_t sync_mark = 1;
constexpr std::uint64_t cancel_mark = 0;  // of entries that cancel another one

ioqueue::queue_settings queue_settings_of(const disk_port_settings& settings) {
  const ioqueue::cost_model costs =
      settings.rates ? ioqueue::cost_from_rates(*settings.rates) : ioqueue::each_costs_one();
  const ioqueue::cost highest = std::max(costs.of(ioqueue::direction::read, max_bytes),
                                         costs.of(ioqueue::direction::write, max_bytes));
  return {.costs = costs,
          .limit = settings.limit * highest,
          .tokens = std::nullopt,
          .most_bytes = max_bytes};
}

// Errors of a ring that is temporarily out of memory or room.
constexpr std::chrono::nanoseconds submit_again_after = std::chrono::milliseconds{1};

// A ring entry carries 64 bits, which hold the address of the request or operation.
bool is_sync(std::uint64_t mark) { return (mark & sync_mark) != 0; }
io_request& synced_by(std::uint64_t mark) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  return *reinterpret_cast<io_request*>(mark & ~sync_mark);
}
ioqueue::operation& operation_of(std::uint64_t mark) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  return *reinterpret_cast<ioqueue::operation*>(mark);
}

// The rest of the transfer; the operation stores the transferred bytes in its mark.
ioqueue::transfer rest_of(const ioqueue::operation& begun) {
  ioqueue::transfer rest = begun.piece;
  rest.offset += begun.device_mark;
  rest.memory += begun.device_mark;
  rest.size_bytes -= begun.device_mark;
  return rest;
}

std::int64_t transfer_now(const ioqueue::transfer& piece) {
  const auto offset = static_cast<off_t>(piece.offset);
  const ssize_t carried = piece.kind == ioqueue::direction::read
                              ? ::pread(piece.file, piece.memory, piece.size_bytes, offset)
                              : ::pwrite(piece.file, piece.memory, piece.size_bytes, offset);
  return carried < 0 ? -errno : carried;
}

void prepare(io_uring_sqe* entry, std::uint64_t mark) {
  if (is_sync(mark)) {
    ::io_uring_prep_fsync(entry, synced_by(mark).io.file, IORING_FSYNC_DATASYNC);
  } else {
    const ioqueue::transfer rest = rest_of(operation_of(mark));
    const auto bytes = static_cast<unsigned>(rest.size_bytes);
    if (rest.kind == ioqueue::direction::read) {
      ::io_uring_prep_read(entry, rest.file, rest.memory, bytes, rest.offset);
    } else {
      ::io_uring_prep_write(entry, rest.file, rest.memory, bytes, rest.offset);
    }
  }
  ::io_uring_sqe_set_data64(entry, mark);
}

}  // namespace

disk_port::disk_port(reactor::reactor& loop, const disk_port_settings& settings)
    : loop_(loop), queue_(*this, clock_, queue_settings_of(settings)) {
  unsubmitted_.reserve(ring_entries);
  ended_.reserve(max_under_way + max_syncs);
  reported_.reserve(max_under_way + max_syncs);
  const std::array shares{settings.query_shares, settings.compaction_shares};
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    classes_[i] = queue_.add_class(
        {.name = std::string(io_class_names[i]), .shares = shares[i], .max_queued = max_queued});
  }
  io_uring_params parameters{};
  parameters.flags = IORING_SETUP_CQSIZE;
  parameters.cq_entries = static_cast<unsigned>(max_under_way);
  has_ring_ = ::io_uring_queue_init_params(ring_entries, &ring_, &parameters) == 0;
  if (has_ring_ && ::io_uring_register_eventfd(&ring_, completed_.fd()) != 0) {
    ::io_uring_queue_exit(&ring_);
    has_ring_ = false;
  }
  loop_.watch(completed_.fd(), EPOLLIN, *this);
}

disk_port::~disk_port() {
  loop_.unwatch(completed_.fd(), *this);
  loop_.disarm(*this);
  if (has_ring_) ::io_uring_queue_exit(&ring_);
}

void disk_port::submit(io_request& request) noexcept {
  const auto number = classes_[static_cast<std::size_t>(request.of)];
  if (!refused_.empty() || !queue_.submit(number, request)) refused_.push(request);
  wake();
}

void disk_port::offer_refused() {
  while (!refused_.empty()) {
    auto& first = static_cast<io_request&>(refused_.first());
    refused_.remove(first);  // before submit(), which links it elsewhere
    if (queue_.submit(classes_[static_cast<std::size_t>(first.of)], first)) continue;
    refused_.push_front(first);
    return;
  }
}

io_uring_sqe* disk_port::next_entry() {
  if (!by_io_uring()) return nullptr;
  io_uring_sqe* entry = ::io_uring_get_sqe(&ring_);
  if (entry != nullptr) return entry;
  flush();
  return by_io_uring() ? ::io_uring_get_sqe(&ring_) : nullptr;
}

void disk_port::begin(std::uint64_t mark) {
  ++under_way_;
  if (io_uring_sqe* entry = next_entry(); entry != nullptr) {
    prepare(entry, mark);
    unsubmitted_.push_back(mark);
  } else {
    do_now(mark);
  }
}

void disk_port::do_now(std::uint64_t mark) {
  if (mark == cancel_mark) {
    ended_.emplace_back(mark, 0);
  } else if (is_sync(mark)) {
    ended_.emplace_back(mark, ::fdatasync(synced_by(mark).io.file) == 0 ? 0 : -errno);
  } else {
    ended_.emplace_back(mark, transfer_now(rest_of(operation_of(mark))));
  }
  completed_.signal();
}

void disk_port::sync(int file, io_request& request) noexcept {
  request.io = {.file = file};
  begin(reinterpret_cast<std::uint64_t>(&request) | sync_mark);
  wake();
}

bool disk_port::start(ioqueue::operation& begun) {
  if (under_way_ >= max_under_way) return false;
  begun.device_mark = 0;
  begin(reinterpret_cast<std::uint64_t>(&begun));
  max_in_flight_ = std::max(max_in_flight_, queue_.in_flight() + 1);
  return true;
}

void disk_port::flush() {
  while (by_io_uring() && !unsubmitted_.empty()) {
    const int taken = ::io_uring_submit(&ring_);
    if (taken > 0) {
      unsubmitted_.erase(unsubmitted_.begin(), unsubmitted_.begin() + taken);
    } else if (taken == 0 || disk::passing_error(-taken)) {
      try_again_later();
      return;
    } else {
      ring_failed_ = true;
      for (const std::uint64_t mark : unsubmitted_) do_now(mark);
      unsubmitted_.clear();
    }
  }
}

void disk_port::cancel(io_request& request) noexcept {
  if (request.is_free()) {  // the queue of its class was full
    refused_.remove(request);
    request.io_done(-ECANCELED);
    return;
  }
  queue_.cancel(request);
  wake();
}

// Without an entry for it, the operation completes normally.
void disk_port::cancel(ioqueue::operation& unwanted) noexcept {
  if (under_way_ >= max_under_way) return;
  io_uring_sqe* entry = next_entry();
  if (entry == nullptr) return;
  ::io_uring_prep_cancel(entry, &unwanted, 0);
  ::io_uring_sqe_set_data64(entry, cancel_mark);
  unsubmitted_.push_back(cancel_mark);
  ++under_way_;
}

void disk_port::wake() {
  if (scheduled_) return;
  scheduled_ = true;
  loop_.schedule(*this);
}

void disk_port::run() {
  scheduled_ = false;
  offer_refused();
  try {
    queue_.dispatch();
  } catch (const std::bad_alloc&) {  // the requests stay in the queue
    try_again_later();
  }
  flush();
}

void disk_port::try_again_later() noexcept {
  loop_.disarm(*this);
  loop_.arm(*this, loop_.now() + submit_again_after);
}

void disk_port::on_events(std::uint32_t /*events*/) {
  completed_.clear();
  reap();
  run();
}

void disk_port::take(std::uint64_t mark, std::int64_t result) {
  --under_way_;
  if (mark == cancel_mark) return;
  if (is_sync(mark)) {
    synced_by(mark).io_done(result);
    return;
  }
  ioqueue::operation& begun = operation_of(mark);
  if (result >= 0) {
    begun.device_mark += static_cast<std::uint64_t>(result);
    // With O_DIRECT only whole blocks can be continued.
    const bool more = result > 0 && begun.device_mark < begun.piece.size_bytes;
    if (more && begun.device_mark % block_bytes == 0) return begin(mark);
    result = static_cast<std::int64_t>(begun.device_mark);
  }
  begun.complete(result);
}

void disk_port::reap() {
  reported_.swap(ended_);
  for (const auto& [mark, result] : reported_) take(mark, result);
  reported_.clear();
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
    if (under_way_ == 0 && refused_.empty() && queued() == 0) return;
    pollfd completion{.fd = completed_.fd(), .events = POLLIN, .revents = 0};
    const bool completes = under_way_ != 0 && unsubmitted_.empty();
    if (ended_.empty()) ::poll(&completion, 1, completes ? -1 : 1);
    completed_.clear();
    reap();
  }
}

const ioqueue::class_metrics& disk_port::metrics(io_class of) {
  return queue_.metrics(classes_[static_cast<std::size_t>(of)]);
}

}  // namespace stallscope::value_log
