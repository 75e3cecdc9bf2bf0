// Moves the records of the rings into samples.perf, unchanged, and without a copy unless records
// are dropped. A pass first shows every new record to the sieve, because fork records in one ring
// decide about samples in another. Then it writes up to the heads read before that scan, so that no
// sample is written before the fork record that decides about it. Costs one writev call per 64 KiB,
// and a look at each record. One thread.
//
//   drain records{rings.views(), file};
//   records.set_sieve(&filter);
//   while (recording) records.pass();
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "collect/exec_watch.hpp"
#include "collect/record_compressor.hpp"
#include "collect/sample_file.hpp"
#include "collect/stack_trimmer.hpp"
#include "perf_events/ring_view.hpp"

namespace stallscope::collect {

// Decides which records are written.
class sieve {
 public:
  sieve() = default;
  sieve(const sieve&) = delete;
  sieve& operator=(const sieve&) = delete;
  sieve(sieve&&) = delete;
  sieve& operator=(sieve&&) = delete;
  virtual ~sieve() = default;
  // Returns whether records must pass observe() and keep(). Otherwise rings are written whole.
  [[nodiscard]] virtual bool watching() const = 0;
  // Called once for each new record, ring by ring.
  virtual void observe(const perf_events::record_view& record, std::size_t ring_index) = 0;
  // Called after the scan of all rings.
  virtual void settle() = 0;
  [[nodiscard]] virtual bool keep(const perf_events::record_view& record) const = 0;
  // Whether a record that is kept is of the target's processes.
  [[nodiscard]] virtual bool of_target(const perf_events::record_view&) const { return true; }
  // The identifier with which the record is written, if it is not its own.
  [[nodiscard]] virtual std::optional<std::uint64_t> written_id(
      const perf_events::record_view&) const {
    return std::nullopt;
  }
};

// Where a record holds the identifier of its event: at the begin of a sample, at the end of others.
inline std::uint64_t id_offset(const perf_events::record_view& record) {
  return record.type() == PERF_RECORD_SAMPLE ? 8 : record.size() - 8U;
}

struct drain_counts {
  std::uint64_t samples = 0;
  std::uint64_t periods = 0;  // the sum of the samples' periods
  std::uint64_t left_out_periods = 0;
  std::uint64_t left_out = 0;      // samples that the sieve dropped
  std::uint64_t lost_records = 0;  // PERF_RECORD_LOST and LOST_SAMPLES
  std::uint64_t lost_samples = 0;  // the sum of their counts
  std::uint64_t throttles = 0;
  std::uint64_t wait_samples = 0;    // samples of switches, wake-ups and lock contention
  std::uint64_t switch_samples = 0;  // those of switches
  std::uint64_t switches = 0;        // PERF_RECORD_SWITCH and SWITCH_CPU_WIDE

  drain_counts operator-(const drain_counts& earlier) const;
};

enum class holding { none, until_crowded, strictly };

class drain {
 public:
  drain(std::vector<perf_events::ring_view> rings, sample_file& file);

  // The sieve must outlive its use here; nullptr removes it.
  void set_sieve(sieve* active) { sieve_ = active; }
  // Samples of these events are counted as wait_samples; the value is true for samples of switches.
  // Call before the first record is written.
  void set_wait_events(std::unordered_map<std::uint64_t, bool> ids) {
    wait_events_ = std::move(ids);
  }
  // Samples of these events that are dropped belong to other processes and are not counted.
  void set_whole_cpu_events(std::unordered_set<std::uint64_t> ids) {
    whole_cpu_events_ = std::move(ids);
  }
  // The trimmer must outlive the drain.
  void set_trimmer(stack_trimmer* trimmer) { trimmer_ = trimmer; }
  // From now on records are written compressed.
  void compress() { compressor_.emplace(); }
  // While held, passes scan the rings without writing: records that must come first in the file are
  // not written yet, and the sieve is incomplete. With until_crowded, writing starts anyway as soon
  // as a ring is half full.
  void hold(holding mode) { holding_ = mode; }

  void pass();
  // Makes a pass if a ring is half full. For use during other long work. It makes no pass that
  // writes nothing, because the sieve counts passes.
  void relieve();

  // Counts of written records, without records that did not fit on a full disk.
  [[nodiscard]] const drain_counts& counts() const { return written_counts_; }
  [[nodiscard]] const exec_watch& execs() const { return execs_; }

 private:
  struct cursor {
    std::uint64_t scanned = 0;   // the sieve has seen the records before this position
    std::uint64_t writable = 0;  // records before this position may be written
  };
  void scan(std::size_t index);
  void write(std::size_t index);
  void count(const perf_events::record_view& record, std::optional<std::uint64_t> written_id);
  [[nodiscard]] bool of_target(const perf_events::record_view& record) const;
  void count_sample(const perf_events::sample_fields_view& sample);
  void count_left_out(const perf_events::record_view& record);
  [[nodiscard]] bool is_wait_sample(const perf_events::sample_fields_view& sample) const {
    return !wait_events_.empty() && wait_events_.contains(sample.id);
  }
  [[nodiscard]] bool crowded() const;
  // Adds an identifier that replaces the one in the record. Returns the position behind it.
  std::uint64_t add_id(const perf_events::ring_view& view, std::uint64_t run_begin,
                       const perf_events::record_view& record, std::uint64_t id);
  void add_run(const perf_events::ring_view& view, std::uint64_t begin, std::uint64_t end);
  // Adds the run up to the record, and the record with a shorter stack, if it can be shortened.
  bool add_trimmed(const perf_events::ring_view& view, std::uint64_t begin,
                   const perf_events::record_view& record);
  void append_pieces();

  std::vector<perf_events::ring_view> rings_;
  sample_file* file_;
  std::optional<record_compressor> compressor_;
  stack_trimmer* trimmer_ = nullptr;
  std::uint64_t trimmed_run_bytes_ = 0;  // of shortened records that are not appended yet
  sieve* sieve_ = nullptr;
  holding holding_ = holding::none;
  std::vector<cursor> cursors_;
  std::vector<iovec> pieces_;
  std::deque<std::uint64_t> ids_;  // that pieces refer to
  drain_counts counts_;
  drain_counts written_counts_;
  exec_watch execs_;
  std::unordered_map<std::uint64_t, bool> wait_events_;
  std::unordered_set<std::uint64_t> whole_cpu_events_;
};

}  // namespace stallscope::collect
