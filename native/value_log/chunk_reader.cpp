#include "value_log/chunk_reader.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

namespace stallscope::value_log {

void chunk_reader::start(shared_segment segment) {
  segment_ = std::move(segment);
  position_ = block_bytes;
}

void chunk_reader::submit() {
  const std::uint64_t end = padded(segment_->end, block_bytes);
  while (position_ < end && chunks_.size() < max_chunks_) {
    const std::uint64_t bytes = std::min<std::uint64_t>(memory_.chunk_bytes(), end - position_);
    auto made = std::make_unique<chunk>(*this);
    made->memory = memory_.take(bytes);
    chunks_.push_back(std::move(made));
    chunk& next = *chunks_.back();
    next.reads(segment_->file.get(), position_, next.memory.bytes().first(bytes));
    position_ += bytes;
    ++in_flight_;
    port_.submit(next);
  }
}

int chunk_reader::append_front(std::vector<std::byte>& bytes) {
  const std::unique_ptr<chunk> front = std::move(chunks_.front());
  chunks_.pop_front();
  const std::uint64_t size = front->io.size_bytes;
  if (front->result < 0) return static_cast<int>(-front->result);
  if (static_cast<std::uint64_t>(front->result) != size) return EIO;
  bytes_read_ += size;
  const auto content = front->memory.bytes().first(size);
  bytes.insert(bytes.end(), content.begin(), content.end());
  memory_.give_back(std::move(front->memory));
  return 0;
}

void chunk_reader::clear() {
  chunks_.clear();
  segment_.reset();
}

}  // namespace stallscope::value_log
