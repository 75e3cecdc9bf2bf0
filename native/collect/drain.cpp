#include "collect/drain.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "perf_events/perf_format.hpp"

namespace stallscope::collect {
namespace {

constexpr std::uint32_t record_lost_samples = 13;  // PERF_RECORD_LOST_SAMPLES
constexpr std::size_t pieces_at_once = 512;
// A full disk loses at most one append.
constexpr std::uint64_t max_run_bytes = 64 << 10U;

// Returns whether a record ends before the head. The kernel's records always do; the check prevents
// an endless loop.
bool whole(const perf_events::record_view& record, std::uint64_t head) {
  return record.size() >= sizeof(perf_event_header) && record.end() <= head;
}

}  // namespace

drain_counts drain_counts::operator-(const drain_counts& earlier) const {
  return {.samples = samples - earlier.samples,
          .periods = periods - earlier.periods,
          .left_out_periods = left_out_periods - earlier.left_out_periods,
          .left_out = left_out - earlier.left_out,
          .lost_records = lost_records - earlier.lost_records,
          .lost_samples = lost_samples - earlier.lost_samples,
          .throttles = throttles - earlier.throttles,
          .wait_samples = wait_samples - earlier.wait_samples,
          .switch_samples = switch_samples - earlier.switch_samples,
          .switches = switches - earlier.switches};
}

drain::drain(std::vector<perf_events::ring_view> rings, sample_file& file)
    : rings_{std::move(rings)}, file_{&file}, cursors_(rings_.size()) {
  pieces_.reserve(pieces_at_once + 16);
}

void drain::pass() {
  for (std::size_t i = 0; i < rings_.size(); ++i) cursors_[i].writable = rings_[i].head();
  if (sieve_ != nullptr && sieve_->watching()) {
    for (std::size_t i = 0; i < rings_.size(); ++i) scan(i);
    sieve_->settle();
  } else {
    for (auto& cursor : cursors_) cursor.scanned = std::max(cursor.scanned, cursor.writable);
  }
  if (holding_ == holding::strictly || (holding_ == holding::until_crowded && !crowded())) return;
  const auto before = file_->size_bytes();
  for (std::size_t i = 0; i < rings_.size(); ++i) write(i);
  if (compressor_) {
    compressor_->flush(*file_);
    written_counts_ = counts_;
  }
  execs_.settle();
  if (file_->size_bytes() == before) return;
  perf_event_header round_end{};
  round_end.type = static_cast<std::uint32_t>(perf_format::user_record::finished_round);
  round_end.size = sizeof round_end;
  if (holding_ == holding::none) file_->append(std::as_bytes(std::span{&round_end, 1}));
}

void drain::relieve() {
  if (crowded()) pass();
}

bool drain::crowded() const {
  return std::any_of(rings_.begin(), rings_.end(), [](const perf_events::ring_view& ring) {
    return ring.head() - ring.tail() > ring.size() / 2;
  });
}

void drain::scan(std::size_t index) {
  const auto& view = rings_[index];
  auto& position = cursors_[index].scanned;
  const auto head = view.head();
  while (position < head) {
    const perf_events::record_view record{view, position};
    if (!whole(record, head)) break;
    sieve_->observe(record, index);
    position = record.end();
  }
}

void drain::write(std::size_t index) {
  const auto& view = rings_[index];
  const bool sifting = sieve_ != nullptr && sieve_->watching();
  const auto end = cursors_[index].writable;
  auto position = view.tail();
  auto run_begin = position;
  pieces_.clear();
  while (position < end) {
    const perf_events::record_view record{view, position};
    if (!whole(record, end)) break;
    if (!sifting || sieve_->keep(record)) {
      const auto id = sifting ? sieve_->written_id(record) : std::nullopt;
      count(record, id);
      if (id) {
        run_begin = add_id(view, run_begin, record, *id);
      } else if (trimmer_ != nullptr && add_trimmed(view, run_begin, record)) {
        run_begin = record.end();
      }
    } else {
      count_left_out(record);
      add_run(view, run_begin, position);
      run_begin = record.end();
    }
    position = record.end();
    // An append ends with a whole record.
    if (position - run_begin < max_run_bytes && pieces_.size() < pieces_at_once) continue;
    add_run(view, run_begin, position);
    append_pieces();
    run_begin = position;
  }
  add_run(view, run_begin, position);
  append_pieces();
  view.release(position);
}

void drain::add_run(const perf_events::ring_view& view, std::uint64_t begin, std::uint64_t end) {
  if (begin == end) return;
  for (const auto piece : view.pieces(begin, end)) {
    if (!piece.empty()) pieces_.push_back({const_cast<std::byte*>(piece.data()), piece.size()});
  }
}

// The pages of a ring may only be read, so the identifier cannot be replaced there.
std::uint64_t drain::add_id(const perf_events::ring_view& view, std::uint64_t run_begin,
                            const perf_events::record_view& record, std::uint64_t id) {
  const auto begin = record.position() + id_offset(record);
  add_run(view, run_begin, begin);
  ids_.push_back(id);
  pieces_.push_back({&ids_.back(), sizeof id});
  return begin + sizeof id;
}

bool drain::add_trimmed(const perf_events::ring_view& view, std::uint64_t begin,
                        const perf_events::record_view& record) {
  const auto cut = trimmer_->cut_of(record);
  if (!cut) return false;
  add_run(view, begin, record.position());
  trimmed_run_bytes_ += record.position() - begin;
  for (const auto piece : trimmer_->pieces(view, record, *cut)) {
    pieces_.push_back({const_cast<std::byte*>(piece.data()), piece.size()});
    trimmed_run_bytes_ += piece.size();
  }
  if (pieces_.size() >= pieces_at_once || trimmed_run_bytes_ >= max_run_bytes) append_pieces();
  return true;
}

void drain::append_pieces() {
  if (compressor_) {
    compressor_->append(pieces_, *file_);
  } else {
    file_->append(std::span{pieces_});
  }
  pieces_.clear();
  ids_.clear();
  trimmed_run_bytes_ = 0;
  if (trimmer_ != nullptr) trimmer_->release();
  if (!compressor_) written_counts_ = counts_;
}

void drain::count_left_out(const perf_events::record_view& record) {
  if (record.type() != PERF_RECORD_SAMPLE) return;
  const perf_events::sample_fields_view sample{record};
  if (is_wait_sample(sample) || whole_cpu_events_.contains(sample.id)) return;
  ++counts_.left_out;
  counts_.left_out_periods += sample.period;
}

void drain::count_sample(const perf_events::sample_fields_view& sample) {
  const auto event = wait_events_.find(sample.id);
  if (event != wait_events_.end()) {
    ++counts_.wait_samples;
    counts_.switch_samples += event->second ? 1 : 0;
    return;
  }
  ++counts_.samples;
  counts_.periods += sample.period;
}

bool drain::of_target(const perf_events::record_view& record) const {
  return sieve_ == nullptr || sieve_->of_target(record);
}

void drain::count(const perf_events::record_view& record, std::optional<std::uint64_t> written_id) {
  switch (record.type()) {
    case PERF_RECORD_SAMPLE: {
      perf_events::sample_fields_view sample{record};
      sample.id = written_id.value_or(sample.id);
      count_sample(sample);
      break;
    }
    case PERF_RECORD_SWITCH:
    case PERF_RECORD_SWITCH_CPU_WIDE:
      ++counts_.switches;
      break;
    case PERF_RECORD_LOST:
      ++counts_.lost_records;
      counts_.lost_samples += record.u64(16);
      break;
    case record_lost_samples:
      ++counts_.lost_records;
      counts_.lost_samples += record.u64(8);
      break;
    case PERF_RECORD_THROTTLE:
      ++counts_.throttles;
      break;
    default:
      if (of_target(record)) execs_.observe(record);
      break;
  }
}

}  // namespace stallscope::collect
