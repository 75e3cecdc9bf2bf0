#include "storm/stream.hpp"

#include <cerrno>
#include <stdexcept>

namespace stallscope::storm {
namespace {

disk::point as_point(const stream::choice& chosen) {
  disk::point point;
  point.block_bytes = chosen.block_bytes;
  point.seed = chosen.seed;
  return point;
}

std::uint64_t ns_between(std::chrono::nanoseconds from, std::chrono::nanoseconds until) {
  return static_cast<std::uint64_t>((until - from).count());
}

}  // namespace

std::uint64_t stream_counts::failed() const noexcept {
  std::uint64_t count = 0;
  for (const auto& [number, times] : errors) count += times;
  return count;
}

stream::stream(ioqueue::queue& line, ioqueue::class_id number, const ioqueue::time_source& clock,
               const disk::target& on, const choice& chosen)
    : line_{line}, class_{number}, clock_{clock}, chosen_{chosen}, where_{on, as_point(chosen)} {
  const bool writes = chosen.way == ioqueue::direction::write;
  if (chosen.with_memory) memory_.emplace(chosen.depth, chosen.block_bytes, writes, chosen.seed);
  for (unsigned slot = 0; slot < chosen.depth; ++slot) {
    one_request& added = requests_.emplace_back(*this);
    added.io = {.kind = chosen.way,
                    .file = chosen.file,
                    .memory = memory_ ? memory_->of(slot, writes) : nullptr,
                    .size_bytes = chosen.block_bytes};
  }
}

std::span<std::byte> stream::memory() const noexcept {
  return memory_ ? memory_->all() : std::span<std::byte>{};
}

void stream::use_buffer(int number) noexcept {
  for (one_request& one : requests_) one.io.buffer = number;
}

void stream::start() {
  for (one_request& one : requests_) submit(one);
}

void stream::submit(one_request& next) {
  next.io.offset = where_.next();
  if (!line_.submit(class_, next)) throw std::logic_error("a stream's class has room for it");
  ++outstanding_;
}

void stream::stop() {
  stopped_ = true;
  for (one_request& one : requests_) line_.cancel(one);
}

void stream::settled(one_request& ended, ioqueue::outcome how, std::int64_t result) {
  --outstanding_;
  ++ended_;
  if (stopped_) return;
  if (how == ioqueue::outcome::done) {
    record(ended, result);
  } else {
    ++counts_.errors[static_cast<int>(-result)];
  }
  submit(ended);
}

void stream::record(const one_request& ended, std::int64_t result) {
  if (static_cast<std::uint64_t>(result) != ended.io.size_bytes) {
    ++counts_.errors[EIO];
    return;
  }
  counts_.bytes += ended.io.size_bytes;
  counts_.total.record(ns_between(ended.submitted_at(), clock_.now()));
  counts_.delay.record(ns_between(ended.submitted_at(), ended.started_at()));
}

}  // namespace stallscope::storm
