#include "value_log/appender.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace stallscope::value_log {
namespace {

constexpr std::uint64_t min_memory = std::uint64_t{64} << 10U;

}  // namespace

std::uint64_t appender::bytes_of(const append_request& request) {
  std::uint64_t sum = 0;
  for (const append_item& item : request.items) {
    sum += record_bytes(item.key.size(), item.value.size());
  }
  return sum;
}

void appender::append(append_request& request) {
  wake();
  const std::uint64_t bytes = bytes_of(request);
  if (padded(bytes, block_bytes) + block_bytes > content_.segments().segment_bytes()) {
    too_long_.push_back(&request);
    return;
  }
  const bool fits = next_.requests.empty() || next_.bytes + bytes <= settings_.max_batch_bytes;
  if (waiting_.empty() && fits) {
    place(request, bytes);
  } else {
    waiting_.push_back(&request);
  }
}

void appender::wake() {
  if (scheduled_) return;
  scheduled_ = true;
  loop_.schedule(*this);
}

void appender::place(append_request& request, std::uint64_t bytes) {
  const std::uint64_t needed = padded(next_.bytes + bytes, block_bytes);
  if (next_.memory.size() < needed) {
    const std::uint64_t ahead = std::min(2 * needed, settings_.max_batch_bytes);
    aligned_memory larger(std::max({min_memory, needed, ahead}));
    if (next_.bytes != 0) {
      std::memcpy(larger.bytes().data(), next_.memory.bytes().data(), next_.bytes);
    }
    next_.memory = std::move(larger);
  }
  for (const append_item& item : request.items) {
    const std::uint64_t length = record_bytes(item.key.size(), item.value.size());
    const record made{.kind = item.kind,
                      .sequence = content_.next_sequence(),
                      .expires_ms = item.expires_ms,
                      .key = item.key,
                      .value = item.value};
    encode(next_.memory.bytes().subspan(next_.bytes, length), made, content_.secret());
    next_.records.push_back(
        {&request, &item, made.sequence, static_cast<std::uint32_t>(next_.bytes)});
    next_.bytes += length;
  }
  next_.requests.push_back(&request);
}

void appender::take_waiting() {
  while (!waiting_.empty()) {
    append_request& first = *waiting_.front();
    const std::uint64_t bytes = bytes_of(first);
    if (!next_.requests.empty() && next_.bytes + bytes > settings_.max_batch_bytes) return;
    waiting_.pop_front();
    place(first, bytes);
  }
}

void appender::run() {
  scheduled_ = false;
  for (; !too_long_.empty(); too_long_.pop_front()) too_long_.front()->appended(EMSGSIZE);
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
      waiting_.push_back(request);
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

void appender::io_done(std::int64_t result) {
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
  for (const placed& request : current_.records) {
    const append_item& item = *request.item;
    const location where{.sequence = request.sequence,
                         .expires_ms = item.expires_ms,
                         .segment = active_->number,
                         .offset = static_cast<std::uint32_t>(start + request.offset),
                         .value_bytes = item.kind == record_kind::value
                                            ? static_cast<std::uint32_t>(item.value.size())
                                            : location::no_value};
    if (item.kind == record_kind::cleared) {
      content_.flushed(where);
    } else {
      content_.written(item.key, where);
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
