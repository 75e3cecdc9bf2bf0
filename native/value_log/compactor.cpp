#include "value_log/compactor.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/clock.hpp"

namespace stallscope::value_log {
namespace {

std::int64_t clock_now_ms() { return static_cast<std::int64_t>(realtime_ns() / 1'000'000); }

}  // namespace

struct compactor::sync_request final : io_request {
  explicit sync_request(compactor& of_compactor) : owner(of_compactor) {
    of = io_class::compaction;
  }
  void io_done(std::int64_t result) noexcept override { owner.synced(result); }

  compactor& owner;
};

compactor::compactor(log_content& content, appender& newest, io_port& port,
                     reactor::task_scheduler& loop, const compaction_settings& settings)
    : content_(content),
      appender_(newest),
      port_(port),
      loop_(loop),
      settings_(settings),
      memory_(settings.chunk_bytes),
      reader_(port, memory_, settings.max_chunks, [this] { wake(); }),
      writer_(content, port, memory_,
              {.failed = [this](int error) { fail(error); }, .progress = [this] { wake(); }}),
      sync_(std::make_unique<sync_request>(*this)) {
  if (settings_.now_ms == nullptr) settings_.now_ms = clock_now_ms;
}

compactor::~compactor() = default;

void compactor::wake() {
  if (scheduled_) return;
  scheduled_ = true;
  loop_.schedule(*this);
}

void compactor::next_turn() {
  if (std::exchange(wants_turn_, false)) wake();
}

void compactor::compact_all(std::function<void(int)> done) {
  jobs_.push_back({std::move(done), std::nullopt});
  wake();
}

void compactor::consider() {
  if (victim_ || stopped_ || sync_error_ != 0 || !jobs_.empty() || loop_.now() < not_before_)
    return;
  if (content_.segments().most_dead(settings_.min_dead_share)) wake();
}

void compactor::stop() {
  stopped_ = true;
  error_ = ECANCELED;
  wake();
}

void compactor::run() {
  scheduled_ = false;
  try {
    if (victim_ == nullptr) choose();
    if (victim_ != nullptr && !syncing_) continue_moving();
  } catch (const std::bad_alloc&) {
    fail(ENOMEM);
    continue_failed();
  }
}

// Starts on the next segment of a job, or on the segment with the highest dead share.
void compactor::choose() {
  if (stopped_ || sync_error_ != 0) {
    while (!jobs_.empty()) end_job(stopped_ ? ECANCELED : sync_error_);
    return;
  }
  log_segments& segments = content_.segments();
  if (jobs_.empty()) {
    const auto most = segments.most_dead(settings_.min_dead_share);
    if (most && loop_.now() >= not_before_) begin(segments.find(*most));
    return;
  }
  if (rolling_) return;
  if (!jobs_.front().segments) {
    rolling_ = true;
    appender_.roll([this] {
      rolling_ = false;
      if (jobs_.empty()) return;  // stopped in the meantime
      end();
      list_segments();
      wake();
    });
    return;
  }
  for (auto& left = *jobs_.front().segments; !left.empty();) {
    const shared_segment next = segments.find(left.front());
    left.pop_front();
    if (!next || !next->sealed || next->damaged) continue;
    begin(next);
    return;
  }
  end_job(0);
  if (!jobs_.empty()) wake();
}

// Assigns the present segments to the first job.
void compactor::list_segments() noexcept {
  try {
    std::deque<std::uint32_t> present;
    for (const auto& [number, segment] : content_.segments().all()) present.push_back(number);
    jobs_.front().segments = std::move(present);
  } catch (const std::bad_alloc&) {
    end_job(ENOMEM);
  }
}

void compactor::end_job(int error) noexcept {
  const std::function<void(int)> done = std::move(jobs_.front().done);
  jobs_.pop_front();
  if (done) done(error);
}

void compactor::begin(shared_segment victim) {
  victim_ = std::move(victim);
  victim_->counted_to = std::max<std::uint64_t>(victim_->counted_to, block_bytes);
  reader_.start(victim_);
  parse_position_ = block_bytes;
  unparsed_.clear();
  unparsed_from_ = 0;
  error_ = 0;
  syncing_ = removed_ = false;
  wake();
}

void compactor::continue_moving() {
  // FLUSHALL may have removed the segment.
  if (content_.segments().find(victim_->number) == nullptr && error_ == 0) error_ = ESTALE;
  const bool may_write = writer_.in_flight() < settings_.max_chunks;
  if (error_ == 0 && reader_.front_ready() && may_write) parse_front_chunk();
  if (error_ == 0) reader_.submit();
  if (error_ != 0) {
    continue_failed();
  } else if (!reader_.empty()) {
    wants_turn_ = reader_.front_ready() && writer_.in_flight() < settings_.max_chunks;
  } else {
    finish_moving();
  }
}

// After an error, waits for what is in flight.
void compactor::continue_failed() noexcept {
  if (victim_ == nullptr) {
    error_ = 0;
    if (!jobs_.empty()) end_job(ENOMEM);
  } else if (reader_.in_flight() == 0 && writer_.in_flight() == 0) {
    give_up();
  }
}

void compactor::parse_front_chunk() {
  unparsed_.erase(unparsed_.begin(),
                  unparsed_.begin() + static_cast<std::ptrdiff_t>(unparsed_from_));
  unparsed_from_ = 0;
  if (const int error = reader_.append_front(unparsed_); error != 0) {
    fail(error);
  } else {
    parse();
  }
}

void compactor::parse() {
  while (error_ == 0 && unparsed_from_ < unparsed_.size() && parse_position_ < victim_->end) {
    const auto rest = std::span<const std::byte>(unparsed_).subspan(unparsed_from_);
    if (!handle_record(rest, decode(rest, parse_position_, content_.secret()))) return;
  }
}

// Returns false if more bytes are needed or the segment is damaged.
bool compactor::handle_record(std::span<const std::byte> rest, const decoded& next) {
  std::uint64_t step = next.bytes;
  switch (next.status) {
    case decode_status::incomplete:
      if (parse_position_ + next.bytes <= victim_->end) return false;
      [[fallthrough]];
    case decode_status::damaged:
      // The damaged bytes may be a value that a client needs: keep the segment.
      victim_->damaged = true;
      fail(EBADMSG);
      return false;
    case decode_status::padding:
      step = padded(parse_position_ + 1, block_bytes) - parse_position_;
      break;
    case decode_status::whole: {
      const record& what = next.what;
      const location where{.sequence = what.sequence,
                           .expires_ms = what.expires_ms,
                           .segment = victim_->number,
                           .offset = static_cast<std::uint32_t>(parse_position_),
                           .value_bytes = what.kind == record_kind::value
                                              ? static_cast<std::uint32_t>(what.value.size())
                                              : location::no_value};
      const bool counted = parse_position_ < victim_->counted_to;
      if (content_.must_move(what, where, settings_.now_ms(), counted)) {
        writer_.append(rest.first(next.bytes), where);
      }
      break;
    }
  }
  parse_position_ += step;
  unparsed_from_ += step;
  return true;
}

// All records are parsed: when the last write is done, syncs the segments that hold live records.
void compactor::finish_moving() {
  if (!writer_.flush()) {
    wake();
    return;
  }
  if (writer_.in_flight() != 0) return;
  to_sync_.reserve(content_.segments().all().size());  // nothing below may throw
  syncing_ = true;
  reader_.clear();
  writer_.seal_full();
  const bool durable = !content_.segments().directory().temporary();
  for (const auto& [number, segment] : content_.segments().all()) {
    if (durable && segment->unsynced && segment != victim_) to_sync_.push_back(segment);
  }
  sync_next();
}

void compactor::sync_next() {
  if (!to_sync_.empty()) {
    to_sync_.back()->unsynced = false;
    port_.sync(to_sync_.back()->file.get(), *sync_);
  } else if (!removed_) {
    remove_victim();
  } else {
    finish_removal();
  }
}

void compactor::synced(std::int64_t result) noexcept {
  if (!to_sync_.empty()) to_sync_.pop_back();
  if (result >= 0) {
    sync_next();
    return;
  }
  sync_error_ = static_cast<int>(-result);
  fail(sync_error_);
  to_sync_.clear();
  if (removed_) {
    finish_removal();
  } else {
    give_up();
  }
}

void compactor::remove_victim() {
  removed_ = true;
  const data_directory& directory = content_.segments().directory();
  content_.segments().remove(victim_->number);
  if (directory.temporary()) {
    finish_removal();
  } else {
    port_.sync(directory.fd(), *sync_);
  }
}

void compactor::finish_removal() {
  ++segments_removed_;
  // If the removal may not be durable, whatever relies on it waits for the next one.
  if (error_ == 0) content_.segment_removed();
  content_.segments().let_go(std::move(victim_));
  victim_.reset();
  memory_.clear();
  syncing_ = false;
  error_ = 0;
  wake();
}

void compactor::fail(int error) {
  if (error_ == 0) error_ = error;
}

void compactor::end() { writer_.end(); }

compaction_counts compactor::counts() const {
  return {.segments_removed = segments_removed_,
          .records_moved = writer_.records_moved(),
          .bytes_read = reader_.bytes_read(),
          .bytes_written = writer_.bytes_written(),
          .failures = failures_,
          .last_error = last_error_};
}

void compactor::give_up() noexcept {
  const bool still_there = content_.segments().find(victim_->number) != nullptr;
  if (still_there) victim_->counted_to = std::max(victim_->counted_to, parse_position_);
  writer_.seal_full();
  reader_.clear();
  memory_.clear();
  writer_.drop();
  victim_.reset();
  syncing_ = false;
  const int error = std::exchange(error_, 0);
  if (still_there) {
    ++failures_;
    last_error_ = error;
    not_before_ = loop_.now() + settings_.pause_after_failure;
  }
  if (!jobs_.empty()) end_job(still_there ? error : 0);
  if (!jobs_.empty()) wake();
}

}  // namespace stallscope::value_log
