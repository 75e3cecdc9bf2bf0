#include "collect/sample_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include "base/failure.hpp"

namespace stallscope::collect {

void sample_file::append(std::span<const std::byte> bytes) {
  iovec piece{const_cast<std::byte*>(bytes.data()), bytes.size()};
  append(std::span{&piece, 1});
}

void sample_file::append(std::span<iovec> pieces) {
  if (sink_ != nullptr) {
    sink_->append(pieces);
    return;
  }
  std::uint64_t added = 0;
  while (!pieces.empty()) {
    if (pieces.front().iov_len == 0) {
      pieces = pieces.subspan(1);
      continue;
    }
    const auto count = static_cast<int>(std::min<std::size_t>(pieces.size(), IOV_MAX));
    const auto wrote = ::writev(fd_.get(), pieces.data(), count);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) cut_back(wrote < 0 ? errno : ENOSPC);
    added += static_cast<std::uint64_t>(wrote);
    for (auto left = static_cast<std::size_t>(wrote); left > 0;) {
      auto& piece = pieces.front();
      const std::size_t taken = std::min(left, piece.iov_len);
      piece.iov_base = static_cast<std::byte*>(piece.iov_base) + taken;
      piece.iov_len -= taken;
      left -= taken;
      if (piece.iov_len == 0) pieces = pieces.subspan(1);
    }
  }
  size_bytes_ += added;
}

void sample_file::cut_back(int error) {
  const bool cut = ::ftruncate(fd_.get(), static_cast<off_t>(size_bytes_)) == 0;
  throw output_error(error, "write " + name_ + (cut ? "" : ", then cut it back"));
}

}  // namespace stallscope::collect
