#include "value_log/piece_writer.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace stallscope::value_log {

void piece_writer::append(std::span<const std::byte> record, const location& from) {
  if (filling_ && filling_->bytes + record.size() > filling_->memory.size() && !flush()) {
    return;
  }
  if (!filling_) filling_ = std::make_unique<piece>(*this, memory_.take(record.size()));
  std::memcpy(filling_->memory.bytes().data() + filling_->bytes, record.data(), record.size());
  filling_->records.push_back({from, static_cast<std::uint32_t>(filling_->bytes)});
  filling_->bytes += record.size();
}

bool piece_writer::flush() {
  if (!filling_) return true;
  const std::uint64_t bytes = padded(filling_->bytes, block_bytes);
  pieces_.reserve(pieces_.size() + 1);  // nothing may fail once room in the segment is taken
  if (!open_segment(bytes)) return false;
  piece& next = *filling_;
  const auto all = next.memory.bytes().first(bytes);
  std::ranges::fill(all.subspan(next.bytes), std::byte{0});
  next.to = output_;
  next.at = output_->end;
  output_->end += bytes;
  content_.segments().prepare_next(*output_);
  output_->unsynced = true;
  output_->dead_bytes += bytes - next.bytes;
  next.writes(output_->file.get(), next.at, all);
  pieces_.push_back(std::move(filling_));
  port_.submit(next);
  return true;
}

// Makes output_ a segment with room for `bytes` more bytes.
bool piece_writer::open_segment(std::uint64_t bytes) {
  log_segments& segments = content_.segments();
  // FLUSHALL may have removed it.
  if (output_ && segments.find(output_->number) == nullptr) output_.reset();
  if (output_ && output_->end + bytes > segments.segment_bytes()) {
    full_.push_back(output_);
    output_.reset();
  }
  try {
    if (!output_) output_ = segments.create();
    return true;
  } catch (const std::system_error& error) {
    callbacks_.failed(error.code().value());
    return false;
  }
}

void piece_writer::written(piece& done, std::int64_t result) {
  const std::uint64_t bytes = done.io.size_bytes;
  if (result >= 0 && static_cast<std::uint64_t>(result) == bytes) {
    bytes_written_ += bytes;
    records_moved_ += done.records.size();
    commit(done);
  } else {
    done.to->dead_bytes += done.bytes;
    log_segments::clear(*done.to, done.at, bytes);
    callbacks_.failed(result < 0 ? static_cast<int>(-result) : ENOSPC);
  }
  memory_.give_back(std::move(done.memory));
  std::erase_if(pieces_, [&](const auto& candidate) { return candidate.get() == &done; });
  callbacks_.progress();
}

void piece_writer::commit(const piece& done) {
  const auto bytes = std::span<const std::byte>(done.memory.bytes()).first(done.bytes);
  for (const piece::kept_record& record : done.records) {
    const std::string_view key = key_of(bytes.subspan(record.offset));
    location to = record.from;
    to.segment = done.to->number;
    to.offset = static_cast<std::uint32_t>(done.at + record.offset);
    content_.moved(key, record.from, to);
  }
}

void piece_writer::seal_full() {
  for (const shared_segment& segment : full_) content_.segments().seal(segment);
  full_.clear();
}

void piece_writer::end() {
  seal_full();
  if (output_) content_.segments().seal(output_);
  output_.reset();
}

}  // namespace stallscope::value_log
