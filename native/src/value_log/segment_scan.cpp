#include "stallscope/value_log/segment_scan.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <system_error>

namespace stallscope::value_log {
namespace {

constexpr std::size_t window_bytes = std::size_t{1} << 20U;

// A part of the file in memory, moved along.
class file_window {
 public:
  file_window(int file, std::uint64_t file_bytes) : file_(file), file_bytes_(file_bytes) {}

  // At least `wanted` bytes from there on, or all there are.
  std::span<const std::byte> at(std::uint64_t offset, std::uint64_t wanted) {
    const std::uint64_t end = std::min(offset + wanted, file_bytes_);
    if (offset < from_ || end > from_ + held_) read(offset, end);
    const std::uint64_t skipped = offset - from_;
    if (skipped >= held_) return {};
    return std::span<const std::byte>(memory_.bytes()).subspan(skipped, held_ - skipped);
  }

 private:
  void read(std::uint64_t offset, std::uint64_t end) {
    from_ = offset / block_bytes * block_bytes;
    const std::size_t needed =
        std::max<std::size_t>(padded(end - from_, block_bytes), window_bytes);
    if (memory_.size() < needed) memory_ = aligned_memory(needed);
    held_ = 0;
    // As the kernel reads a file without its cache: whole blocks, less at the file's end.
    while (held_ < needed && from_ + held_ < file_bytes_) {
      const ssize_t got = ::pread(file_, memory_.bytes().data() + held_, needed - held_,
                                  static_cast<off_t>(from_ + held_));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw std::system_error(errno, std::generic_category(), "reading a segment");
      if (got == 0) break;
      held_ += static_cast<std::size_t>(got);
      if (held_ % block_bytes != 0) break;
    }
  }

  int file_;
  std::uint64_t file_bytes_;
  aligned_memory memory_;
  std::uint64_t from_ = 0;
  std::size_t held_ = 0;
};

class segment_scan {
 public:
  segment_scan(int file, std::uint64_t bytes, const store::hash_seed& secret)
      : window_(file, bytes), bytes_(bytes), secret_(secret) {}

  scanned_segment run(const record_visitor& visit) {
    while (at_ < bytes_) {
      const decoded found = look();
      if (found.status == decode_status::whole) {
        take(found, visit);
      } else {
        step_over(found.status);
      }
    }
    if (lost_from_) result_.tail_bytes = bytes_ - *lost_from_;
    return std::move(result_);
  }

 private:
  decoded look() {
    decoded found = decode(window_.at(at_, head_bytes), at_, secret_);
    if (found.status != decode_status::incomplete) return found;
    if (at_ + found.bytes > bytes_) return {decode_status::damaged, 0, {}};
    found = decode(window_.at(at_, found.bytes), at_, secret_);
    if (found.status == decode_status::incomplete) found.status = decode_status::damaged;
    return found;
  }
  void take(const decoded& found, const record_visitor& visit) {
    if (lost_from_) result_.damaged.push_back({*lost_from_, at_});
    lost_from_.reset();
    visit(found.what, at_);
    at_ += found.bytes;
    result_.end = at_;
  }
  // Records begin at multiples of eight, behind padding at blocks.
  void step_over(decode_status status) {
    if (status == decode_status::damaged && !lost_from_) lost_from_ = at_;
    at_ = lost_from_ ? at_ + 8 : padded(at_ + 1, block_bytes);
  }

  file_window window_;
  std::uint64_t bytes_;
  const store::hash_seed& secret_;
  std::uint64_t at_ = block_bytes;
  std::optional<std::uint64_t> lost_from_;
  scanned_segment result_;
};

}  // namespace

scanned_segment scan_segment(int file, std::uint64_t bytes, const store::hash_seed& secret,
                             const record_visitor& visit) {
  return segment_scan(file, bytes, secret).run(visit);
}

}  // namespace stallscope::value_log
