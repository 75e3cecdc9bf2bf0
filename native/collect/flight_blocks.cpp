#include "collect/flight_blocks.hpp"

#include <utility>

namespace stallscope::collect {

void flight_blocks::append(std::span<const iovec> pieces) {
  auto& bytes = blocks_.back().bytes;
  for (const auto& piece : pieces) {
    const auto* data = static_cast<const std::byte*>(piece.iov_base);
    bytes.insert(bytes.end(), data, data + piece.iov_len);
    size_bytes_ += piece.iov_len;
  }
}

bool flight_blocks::cut(std::uint64_t now_ns) {
  auto& last = blocks_.back();
  last.end_ns = now_ns;
  if (now_ns - last.begin_ns < block_ns && last.bytes.size() < block_bytes) return false;
  last.bytes.shrink_to_fit();
  blocks_.push_back({{}, now_ns, now_ns});
  return true;
}

flight_block flight_blocks::drop_oldest() {
  auto oldest = std::move(blocks_.front());
  blocks_.pop_front();
  size_bytes_ -= oldest.bytes.size();
  return oldest;
}

}  // namespace stallscope::collect
