#include "storm/stream.hpp"

#include <cerrno>
#include <stdexcept>

namespace stallscope::storm {
namespace {

disk::point as_point(const stream::settings& settings) {
  disk::point point;
  point.block_bytes = settings.block_bytes;
  point.seed = settings.seed;
  return point;
}

std::uint64_t ns_between(std::chrono::nanoseconds from, std::chrono::nanoseconds until) {
  return static_cast<std::uint64_t>((until - from).count());
}

}  // namespace

std::uint64_t stream_counts::failed() const noexcept {
  std::uint64_t count = 0;
  for (const auto& [number, error_count] : errors) count += error_count;
  return count;
}

stream::stream(ioqueue::queue& queue, ioqueue::class_id id, const ioqueue::time_source& clock,
               const disk::target& target, const settings& settings)
    : queue_{queue}, class_{id}, clock_{clock}, offsets_{target, as_point(settings)} {
  const bool writes = settings.kind == ioqueue::direction::write;
  if (settings.with_memory)
    memory_.emplace(settings.depth, settings.block_bytes, writes, settings.seed);
  for (unsigned slot = 0; slot < settings.depth; ++slot) {
    stream_request& request = requests_.emplace_back(*this);
    request.io = {.kind = settings.kind,
                  .file = settings.file,
                  .memory = memory_ ? memory_->of(slot, writes) : nullptr,
                  .size_bytes = settings.block_bytes};
  }
}

std::span<std::byte> stream::memory() const noexcept {
  return memory_ ? memory_->all() : std::span<std::byte>{};
}

void stream::use_buffer(int index) noexcept {
  for (stream_request& request : requests_) request.io.buffer = index;
}

void stream::start() {
  for (stream_request& request : requests_) submit(request);
}

void stream::submit(stream_request& next) {
  next.io.offset = offsets_.next();
  if (!queue_.submit(class_, next))
    throw std::logic_error("the stream's class has no room for a request");
  ++outstanding_;
}

void stream::stop() {
  stopped_ = true;
  for (stream_request& request : requests_) queue_.cancel(request);
}

void stream::settled(stream_request& ended, ioqueue::outcome outcome, std::int64_t result) {
  --outstanding_;
  ++ended_;
  if (stopped_) return;
  if (outcome == ioqueue::outcome::done) {
    record(ended, result);
  } else {
    ++counts_.errors[static_cast<int>(-result)];
  }
  submit(ended);
}

void stream::record(const stream_request& ended, std::int64_t result) {
  if (static_cast<std::uint64_t>(result) != ended.io.size_bytes) {
    ++counts_.errors[EIO];
    return;
  }
  counts_.bytes += ended.io.size_bytes;
  counts_.total.record(ns_between(ended.submitted_at(), clock_.now()));
  counts_.delay.record(ns_between(ended.submitted_at(), ended.started_at()));
}

}  // namespace stallscope::storm
