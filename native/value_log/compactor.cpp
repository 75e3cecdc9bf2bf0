#include "value_log/compactor.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/clock.hpp"
#include "value_log/compactor_requests.hpp"

namespace stallscope::value_log {
namespace {

std::int64_t clock_now_ms() { return static_cast<std::int64_t>(realtime_ns() / 1'000'000); }

}  // namespace

compactor::compactor(log_content& content, appender& newest, io_port& port,
                     reactor::task_scheduler& loop, const compaction_settings& settings)
    : content_(content),
      appender_(newest),
      port_(port),
      loop_(loop),
      settings_(settings),
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
  if (victim_ == nullptr) choose();
  if (victim_ != nullptr && !ending_) continue_moving();
}

// The next segment of a job, or the one with the most that is dead.
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
      if (jobs_.empty()) return;  // stopped meanwhile
      end();
      auto& left = jobs_.front().segments.emplace();
      for (const auto& [number, segment] : content_.segments().all()) left.push_back(number);
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

void compactor::end_job(int error) {
  const job ended = std::move(jobs_.front());
  jobs_.pop_front();
  if (ended.done) ended.done(error);
}

void compactor::begin(shared_segment victim) {
  victim_ = std::move(victim);
  victim_->counted_to = std::max<std::uint64_t>(victim_->counted_to, block_bytes);
  read_position_ = parse_position_ = block_bytes;
  unparsed_.clear();
  unparsed_from_ = 0;
  error_ = 0;
  ending_ = removed_ = false;
  wake();
}

void compactor::continue_moving() {
  // FLUSHALL took it away.
  if (content_.segments().find(victim_->number) == nullptr && error_ == 0) error_ = ESTALE;
  const bool more = !chunks_.empty() && chunks_.front()->done;
  if (error_ == 0 && more && pieces_.size() < settings_.max_chunks) parse_front_chunk();
  if (error_ == 0) submit_reads();
  if (error_ != 0) {
    if (chunks_under_way_ == 0 && pieces_.empty()) give_up();
    return;
  }
  if (!chunks_.empty()) {
    wants_turn_ = chunks_.front()->done && pieces_.size() < settings_.max_chunks;
    return;
  }
  send_piece();
  if (error_ == 0 && pieces_.empty()) {
    ending_ = true;
    seal_full();
    const bool kept = !content_.segments().directory().temporary();
    for (const auto& [number, segment] : content_.segments().all()) {
      if (kept && segment->unsynced && segment != victim_) to_sync_.push_back(segment);
    }
    sync_next();
  } else if (error_ != 0) {
    wake();
  }
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

void compactor::synced(std::int64_t result) {
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
  ++counts_.segments_removed;
  // Where the removal may not outlive a loss of power, what relies on it waits for the next one.
  if (error_ == 0) content_.segment_removed();
  content_.segments().let_go(std::move(victim_));
  victim_.reset();
  spare_.clear();
  ending_ = false;
  error_ = 0;
  wake();
}

void compactor::fail(int error) {
  if (error_ == 0) error_ = error;
}

void compactor::seal_full() {
  for (const shared_segment& segment : full_) content_.segments().seal(segment);
  full_.clear();
}

void compactor::end() {
  if (output_) full_.push_back(std::exchange(output_, nullptr));
  seal_full();
}

void compactor::give_up() {
  const bool still_there = content_.segments().find(victim_->number) != nullptr;
  if (still_there) victim_->counted_to = std::max(victim_->counted_to, parse_position_);
  seal_full();
  chunks_.clear();
  spare_.clear();
  filling_.reset();
  victim_.reset();
  ending_ = false;
  const int error = std::exchange(error_, 0);
  if (still_there) {
    ++counts_.failures;
    counts_.last_error = error;
    not_before_ = loop_.now() + settings_.pause_after_failure;
  }
  if (!jobs_.empty()) end_job(still_there ? error : 0);
  if (!jobs_.empty()) wake();
}

}  // namespace stallscope::value_log
