#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "value_log/compactor.hpp"
#include "value_log/compactor_requests.hpp"

namespace stallscope::value_log {

// New memory of this size costs a page fault every block of it.
aligned_memory compactor::memory_for(std::uint64_t bytes) {
  if (bytes > settings_.chunk_bytes || spare_.empty()) {
    return aligned_memory(std::max(bytes, settings_.chunk_bytes));
  }
  aligned_memory taken = std::move(spare_.back());
  spare_.pop_back();
  return taken;
}

void compactor::keep_memory(aligned_memory&& unused) {
  if (unused.size() == settings_.chunk_bytes) spare_.push_back(std::move(unused));
}

void compactor::submit_reads() {
  const std::uint64_t end = padded(victim_->end, block_bytes);
  while (read_position_ < end && chunks_.size() < settings_.max_chunks) {
    const std::uint64_t bytes = std::min(settings_.chunk_bytes, end - read_position_);
    chunks_.push_back(std::make_unique<chunk>(*this));
    chunk& next = *chunks_.back();
    next.memory = memory_for(bytes);
    next.reads(victim_->file.get(), read_position_, next.memory.bytes().first(bytes));
    read_position_ += bytes;
    ++chunks_under_way_;
    port_.submit(next);
  }
}

void compactor::parse_front_chunk() {
  const std::unique_ptr<chunk> front = std::move(chunks_.front());
  chunks_.pop_front();
  const std::uint64_t wanted = front->io.size_bytes;
  if (front->result < 0 || static_cast<std::uint64_t>(front->result) != wanted) {
    fail(front->result < 0 ? static_cast<int>(-front->result) : EIO);
    return;
  }
  counts_.bytes_read += wanted;
  unparsed_.erase(unparsed_.begin(),
                  unparsed_.begin() + static_cast<std::ptrdiff_t>(unparsed_from_));
  unparsed_from_ = 0;
  const auto bytes = front->memory.bytes().first(wanted);
  unparsed_.insert(unparsed_.end(), bytes.begin(), bytes.end());
  keep_memory(std::move(front->memory));
  parse();
}

void compactor::parse() {
  while (error_ == 0 && unparsed_from_ < unparsed_.size() && parse_position_ < victim_->end) {
    const auto rest = std::span<const std::byte>(unparsed_).subspan(unparsed_from_);
    const decoded decoded_record = decode(rest, parse_position_, content_.secret());
    if (!take_record(rest, decoded_record)) return;
  }
}

// False: more has to be read before.
bool compactor::take_record(std::span<const std::byte> rest, const decoded& decoded_record) {
  std::uint64_t step = decoded_record.bytes;
  switch (decoded_record.status) {
    case decode_status::incomplete:
      if (parse_position_ + decoded_record.bytes <= victim_->end) return false;
      [[fallthrough]];
    case decode_status::damaged:
      // Perhaps a value that a client needs: better a segment too many.
      victim_->damaged = true;
      fail(EBADMSG);
      return false;
    case decode_status::padding:
      step = padded(parse_position_ + 1, block_bytes) - parse_position_;
      break;
    case decode_status::whole: {
      const record& what = decoded_record.what;
      const location where{.sequence = what.sequence,
                           .expires_ms = what.expires_ms,
                           .segment = victim_->number,
                           .offset = static_cast<std::uint32_t>(parse_position_),
                           .value_bytes = what.kind == record_kind::value
                                              ? static_cast<std::uint32_t>(what.value.size())
                                              : location::no_value};
      const bool counted = parse_position_ < victim_->counted_to;
      if (content_.must_move(what, where, settings_.now_ms(), counted)) {
        keep(rest.first(decoded_record.bytes), where);
      }
      break;
    }
  }
  parse_position_ += step;
  unparsed_from_ += step;
  return true;
}

void compactor::keep(std::span<const std::byte> bytes, const location& from) {
  if (filling_ && filling_->bytes + bytes.size() > filling_->memory.size()) send_piece();
  if (error_ != 0) return;
  if (!filling_) {
    filling_ = std::make_unique<piece>(*this, memory_for(bytes.size()));
  }
  std::memcpy(filling_->memory.bytes().data() + filling_->bytes, bytes.data(), bytes.size());
  filling_->records.push_back({from, static_cast<std::uint32_t>(filling_->bytes)});
  filling_->bytes += bytes.size();
}

void compactor::send_piece() {
  if (!filling_) return;
  const std::uint64_t bytes = padded(filling_->bytes, block_bytes);
  log_segments& segments = content_.segments();
  // FLUSHALL may have taken it away.
  if (output_ && segments.find(output_->number) == nullptr) output_.reset();
  if (output_ && output_->end + bytes > segments.segment_bytes()) {
    full_.push_back(std::exchange(output_, nullptr));
  }
  try {
    if (!output_) output_ = segments.create();
  } catch (const std::system_error& failed) {
    fail(failed.code().value());
    return;
  }
  piece& next = *filling_;
  const auto all = next.memory.bytes().first(bytes);
  std::ranges::fill(all.subspan(next.bytes), std::byte{0});
  next.to = output_;
  next.at = output_->end;
  output_->end += bytes;
  segments.prepare_next(*output_);
  output_->unsynced = true;
  output_->dead_bytes += bytes - next.bytes;
  next.writes(output_->file.get(), next.at, all);
  pieces_.push_back(std::move(filling_));
  port_.submit(next);
}

void compactor::piece_done(piece& written, std::int64_t result) {
  const std::uint64_t bytes = written.io.size_bytes;
  if (result >= 0 && static_cast<std::uint64_t>(result) == bytes) {
    counts_.bytes_written += bytes;
    counts_.records_moved += written.records.size();
    commit(written);
  } else {
    written.to->dead_bytes += written.bytes;
    content_.segments().clear(*written.to, written.at, bytes);
    fail(result < 0 ? static_cast<int>(-result) : ENOSPC);
  }
  keep_memory(std::move(written.memory));
  std::erase_if(pieces_, [&](const auto& one) { return one.get() == &written; });
  wake();
}

void compactor::commit(const piece& written) {
  const auto bytes = std::span<const std::byte>(written.memory.bytes()).first(written.bytes);
  for (const piece::kept& one : written.records) {
    const std::string_view key = key_of(bytes.subspan(one.offset));
    location to = one.from;
    to.segment = written.to->number;
    to.offset = static_cast<std::uint32_t>(written.at + one.offset);
    content_.moved(key, one.from, to);
  }
}

}  // namespace stallscope::value_log
