#include "value_log/segment_scan.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string>
#include <system_error>

#include "value_log/aligned_memory.hpp"

namespace stallscope::value_log {
namespace {

constexpr std::size_t window_bytes = std::size_t{1} << 20U;

// A moving window of the file in memory.
class file_window {
 public:
  file_window(const segment_file& from, const std::string& name)
      : name_(name), file_(from.file.get()), file_bytes_(from.bytes) {}

  // At least `bytes` bytes from `offset` on, or all that exist.
  std::span<const std::byte> at(std::uint64_t offset, std::uint64_t bytes) {
    const std::uint64_t end = std::min(offset + bytes, file_bytes_);
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
    while (held_ < needed && from_ + held_ < file_bytes_) {
      // O_DIRECT reads start at a block and have whole blocks, except at the end of the file.
      const std::size_t at = held_ / block_bytes * block_bytes;
      const ssize_t got =
          ::pread(file_, memory_.bytes().data() + at, needed - at, static_cast<off_t>(from_ + at));
      if (got < 0 && errno == EINTR) continue;
      // A read error must not look like missing data.
      if (got < 0) fail_reading(errno, from_ + at);
      if (at + static_cast<std::size_t>(got) <= held_) fail_reading(EIO, from_ + held_);
      held_ = at + static_cast<std::size_t>(got);
    }
  }
  [[noreturn]] void fail_reading(int error, std::uint64_t offset) const {
    throw std::system_error(error, std::generic_category(),
                            "cannot read " + name_ + " at offset " + std::to_string(offset) +
                                " (move the file elsewhere to start the server without it)");
  }

  const std::string& name_;
  int file_;
  std::uint64_t file_bytes_;
  aligned_memory memory_;
  std::uint64_t from_ = 0;
  std::size_t held_ = 0;
};

bool is_zero(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{0}; });
}

class segment_scan {
 public:
  segment_scan(const segment_file& from, const std::string& name, const store::hash_seed& secret)
      : window_(from, name),
        bytes_(from.bytes),
        sealed_end_(from.sealed_end),
        limit_(std::min(bytes_, sealed_end_.value_or(bytes_))),
        secret_(secret) {}

  scanned_segment run(const record_visitor& visit) {
    while (at_ < limit_) {
      const decoded decoded_record = look();
      if (decoded_record.status == decode_status::whole) {
        take(decoded_record, visit);
      } else {
        step_over(decoded_record.status);
      }
    }
    if (sealed_end_) {
      end_sealed();
    } else if (lost_from_) {
      result_.tail_bytes = bytes_ - *lost_from_;
    }
    return std::move(result_);
  }

 private:
  decoded look() {
    decoded decoded_record = decode(window_.at(at_, head_bytes), at_, secret_);
    if (decoded_record.status == decode_status::incomplete &&
        at_ + decoded_record.bytes <= limit_) {
      decoded_record = decode(window_.at(at_, decoded_record.bytes), at_, secret_);
    }
    const bool beyond =
        decoded_record.status == decode_status::whole && at_ + decoded_record.bytes > limit_;
    const bool torn = decoded_record.status == decode_status::incomplete;
    const bool missing =
        decoded_record.status == decode_status::padding && sealed_end_ && !is_padding();
    if (beyond || torn || missing) return {decode_status::damaged, 0, {}};
    return decoded_record;
  }
  // Padding fills the last block of a write; a block with nothing else was never written.
  bool is_padding() {
    const std::uint64_t left_of_block = block_bytes - at_ % block_bytes;
    const auto rest = window_.at(at_, left_of_block);
    return left_of_block != block_bytes &&
           is_zero(rest.first(std::min(rest.size(), left_of_block)));
  }
  void take(const decoded& decoded_record, const record_visitor& visit) {
    if (lost_from_) result_.damaged.push_back({*lost_from_, at_});
    lost_from_.reset();
    if (zeros_from_) result_.gaps.push_back({*zeros_from_, at_});
    zeros_from_.reset();
    visit(decoded_record.what, at_);
    at_ += decoded_record.bytes;
    result_.end = at_;
  }
  // Records start at multiples of eight; after padding, at blocks.
  void step_over(decode_status status) {
    if (status == decode_status::damaged && !lost_from_) lost_from_ = at_;
    if (!zeros_from_ && at_ % block_bytes == 0) zeros_from_ = at_;
    at_ = lost_from_ ? at_ + 8 : padded(at_ + 1, block_bytes);
  }
  // Everything up to the end is accounted for; nothing behind it was acknowledged.
  void end_sealed() {
    if (!lost_from_ && bytes_ < *sealed_end_)
      lost_from_ = std::max<std::uint64_t>(bytes_, block_bytes);
    if (lost_from_) result_.damaged.push_back({*lost_from_, *sealed_end_});
    result_.end = *sealed_end_;
    for (at_ = padded(*sealed_end_, block_bytes); at_ < bytes_; at_ += block_bytes) {
      const auto rest = window_.at(at_, block_bytes);
      if (is_zero(rest.first(std::min(rest.size(), block_bytes)))) continue;
      result_.tail_bytes = bytes_ - at_;
      return;
    }
  }

  file_window window_;
  std::uint64_t bytes_;
  std::optional<std::uint64_t> sealed_end_;
  std::uint64_t limit_;  // end of the records
  const store::hash_seed& secret_;
  std::uint64_t at_ = block_bytes;
  std::optional<std::uint64_t> lost_from_;
  std::optional<std::uint64_t> zeros_from_;  // start of the zero blocks after the last record
  scanned_segment result_;
};

}  // namespace

scanned_segment scan_segment(const segment_file& from, const std::string& name,
                             const store::hash_seed& secret, const record_visitor& visit) {
  return segment_scan(from, name, secret).run(visit);
}

}  // namespace stallscope::value_log
