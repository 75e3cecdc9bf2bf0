#include "value_log/appender.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <span>
#include <system_error>
#include <utility>

namespace stallscope::value_log {
namespace {

constexpr std::uint64_t min_memory = std::uint64_t{64} << 10U;

template <typename T>
void reserve_more(std::vector<T>& list, std::size_t more) {
  const std::size_t needed = list.size() + more;
  if (needed > list.capacity()) list.reserve(std::max(needed, 2 * list.capacity()));
}

}  // namespace

std::uint64_t appender::bytes_of(const append_request& request) {
  std::uint64_t sum = 0;
  for (const append_item& item : request.items) {
    sum += record_bytes(item.key.size(), item.value.size());
  }
  return sum;
}

void appender::append(append_request& request) {
  const std::uint64_t bytes = bytes_of(request);
  const bool fits = next_.requests.empty() || next_.bytes + bytes <= settings_.max_batch_bytes;
  if (padded(bytes, block_bytes) + block_bytes > content_.segments().segment_bytes()) {
    too_long_.push(request);
  } else if (waiting_.empty() && fits) {
    place(request, bytes);
  } else {
    waiting_.push(request);
  }
  wake();
}

void appender::wake() {
  if (scheduled_) return;
  scheduled_ = true;
  loop_.schedule(*this);
}

// Adds the records of a request to the next batch. Throws std::bad_alloc without effect.
void appender::place(append_request& request, std::uint64_t bytes) {
  grow(bytes, request.items.size());
  const std::size_t before = next_.records.size();
  try {
    for (const append_item& item : request.items) {
      placed& added = next_.records.emplace_back();
      added.item = &item;
      if (item.kind != record_kind::cleared) added.index = content_.make_room(item.key);
    }
  } catch (...) {
    next_.records.resize(before);
    throw;
  }
  next_.requests.push_back(&request);
  for (placed& added : std::span(next_.records).subspan(before)) {
    const append_item& item = *added.item;
    const std::uint64_t length = record_bytes(item.key.size(), item.value.size());
    added.sequence = content_.next_sequence();
    added.offset = static_cast<std::uint32_t>(next_.bytes);
    encode(next_.memory.bytes().subspan(next_.bytes, length),
           {.kind = item.kind,
            .sequence = added.sequence,
            .expires_ms = item.expires_ms,
            .key = item.key,
            .value = item.value},
           content_.secret());
    next_.bytes += length;
  }
}

// Makes room in the next batch for one more request.
void appender::grow(std::uint64_t bytes, std::size_t records) {
  const std::uint64_t needed = padded(next_.bytes + bytes, block_bytes);
  if (next_.memory.size() < needed) {
    const std::uint64_t ahead = std::min(2 * needed, settings_.max_batch_bytes);
    aligned_memory larger(std::max({min_memory, needed, ahead}));
    if (next_.bytes != 0) {
      std::memcpy(larger.bytes().data(), next_.memory.bytes().data(), next_.bytes);
    }
    next_.memory = std::move(larger);
  }
  reserve_more(next_.records, records);
  reserve_more(next_.requests, 1);
}

void appender::take_waiting() {
  while (append_request* first = waiting_.first()) {
    const std::uint64_t bytes = bytes_of(*first);
    if (!next_.requests.empty() && next_.bytes + bytes > settings_.max_batch_bytes) return;
    try {
      place(*first, bytes);
      waiting_.pop();
    } catch (const std::bad_alloc&) {
      if (!next_.requests.empty()) return;  // it waits for the next batch
      waiting_.pop();
      ++failures_;
      first->appended(ENOMEM);
    }
  }
}

void appender::run() {
  scheduled_ = false;
  while (append_request* request = too_long_.pop()) request->appended(EMSGSIZE);
  if (writing_) return;
  if (rolled_) {
    end();
    std::exchange(rolled_, nullptr)();
  }
  take_waiting();
  if (next_.requests.empty()) return;
  if (const int error = make_room(); error != 0) {
    refuse_growth(error);
    return;
  }
  write();
}

// Opens a segment that the next batch fits into. Returns 0 or an errno.
int appender::make_room() {
  const std::uint64_t needed = padded(next_.bytes, block_bytes);
  log_segments& segments = content_.segments();
  if (active_ && active_->end + needed <= segments.segment_bytes()) return 0;
  end();
  const bool keeps_free = std::ranges::any_of(
      next_.requests, [](const append_request* request) { return request->needs_room; });
  try {
    if (keeps_free && !segments.may_grow()) return ENOSPC;
    active_ = segments.create();
    return 0;
  } catch (const std::system_error& error) {
    return error.code().value();
  } catch (const std::bad_alloc&) {
    return ENOMEM;
  }
}

// Requests that need no room are retried without the others.
void appender::refuse_growth(int error) {
  ++failures_;
  batch refused = std::exchange(next_, {});
  const bool mixed =
      std::ranges::any_of(refused.requests, [](auto* request) { return request->needs_room; });
  for (append_request* request : refused.requests) {
    if (mixed && !request->needs_room) {
      waiting_.push(*request);
    } else {
      request->appended(error);
    }
  }
  if (!waiting_.empty()) wake();
}

void appender::write() {
  std::swap(next_, current_);
  writing_ = true;
  const std::uint64_t bytes = padded(current_.bytes, block_bytes);
  const auto all = current_.memory.bytes().first(bytes);
  std::ranges::fill(all.subspan(current_.bytes), std::byte{0});
  writes(active_->file.get(), active_->end, all);
  port_.submit(*this);
}

void appender::io_done(std::int64_t result) noexcept {
  const std::uint64_t bytes = padded(current_.bytes, block_bytes);
  if (result < 0) {
    finish(static_cast<int>(-result));
  } else if (!syncing_ && static_cast<std::uint64_t>(result) != bytes) {
    finish(ENOSPC);  // a short write: the rest did not fit
  } else if (!syncing_ && settings_.durable) {
    syncing_ = true;
    port_.sync(active_->file.get(), *this);
  } else {
    commit();
    finish(0);
  }
}

void appender::commit() {
  ++batches_;
  content_.segments().prepare_next(*active_);
  const std::uint64_t start = active_->end;
  active_->end += padded(current_.bytes, block_bytes);
  active_->unsynced = !settings_.durable;
  active_->dead_bytes += padded(current_.bytes, block_bytes) - current_.bytes;
  for (placed& written : current_.records) {
    const append_item& item = *written.item;
    const location where{.sequence = written.sequence,
                         .expires_ms = item.expires_ms,
                         .segment = active_->number,
                         .offset = static_cast<std::uint32_t>(start + written.offset),
                         .value_bytes = item.kind == record_kind::value
                                            ? static_cast<std::uint32_t>(item.value.size())
                                            : location::no_value};
    if (item.kind == record_kind::cleared) {
      content_.flushed(where);
    } else {
      content_.written(item.key, where, *std::move(written.index));
    }
  }
}

void appender::finish(int error) {
  writing_ = syncing_ = false;
  if (error != 0) {
    ++failures_;
    end();  // cuts off the partial write
  }
  // Callbacks may append again.
  batch done = std::exchange(current_, {});
  for (append_request* request : done.requests) request->appended(error);
  if (done.memory.size() <= 2 * settings_.max_batch_bytes) {
    done.records.clear();
    done.requests.clear();
    done.bytes = 0;
    current_ = std::move(done);
  }
  if (!waiting_.empty() || !next_.requests.empty() || rolled_) wake();
}

void appender::roll(std::function<void()> then) {
  rolled_ = std::move(then);
  wake();
}

void appender::end() {
  if (!active_) return;
  if (active_->end > block_bytes) {
    content_.segments().seal(active_);
  } else {
    content_.segments().remove(active_->number);
  }
  active_.reset();
}

}  // namespace stallscope::value_log
