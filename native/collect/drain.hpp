// Moves what the rings hold into samples.perf, as it is and without a copy where nothing has to be
// left out. One pass first shows every new record to the sieve (fork records of one ring decide
// about samples in another), then writes only up to the heads seen before that look: no sample is
// ever judged before the fork record that decides about it. One thread.
#pragma once

#include <cstdint>
#include <vector>

#include "collect/exec_watch.hpp"
#include "collect/sample_file.hpp"
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
  // Whether observe() and keep() need to be asked at all; while not, rings are written whole.
  [[nodiscard]] virtual bool watching() const = 0;
  // Each new record once, ring by ring.
  virtual void observe(const perf_events::record_view& record, std::size_t ring_index) = 0;
  // After all rings were looked at.
  virtual void settle() = 0;
  [[nodiscard]] virtual bool keep(const perf_events::record_view& record) const = 0;
};

struct drain_counts {
  std::uint64_t samples = 0;
  std::uint64_t periods = 0;  // the sum of the samples' periods
  std::uint64_t left_out_periods = 0;
  std::uint64_t left_out = 0;      // samples that the sieve kept out
  std::uint64_t lost_records = 0;  // PERF_RECORD_LOST and LOST_SAMPLES
  std::uint64_t lost_samples = 0;  // what they add up to
  std::uint64_t throttles = 0;
};

enum class holding { none, until_crowded, strictly };

class drain {
 public:
  drain(std::vector<perf_events::ring_view> rings, sample_file& file);

  // The sieve must live as long as it is set; nullptr: none.
  void set_sieve(sieve* chosen) { sieve_ = chosen; }
  // While held, rings are only looked at, since what must be written first is still to come and
  // the sieve is still learning; where that is synthesized records alone, until one is half full.
  void hold(holding how) { holding_ = how; }

  void pass();
  // A pass where a ring is half full; for while something else takes long. One that writes nothing
  // would be a round that the sieve counts.
  void relieve();

  // What has been written; records that a full disk refused are not in it.
  [[nodiscard]] const drain_counts& counts() const { return written_counts_; }
  [[nodiscard]] const exec_watch& execs() const { return execs_; }

 private:
  struct cursor {
    std::uint64_t scanned = 0;   // the sieve has seen what lies before
    std::uint64_t writable = 0;  // may be written up to here
  };
  void scan(std::size_t index);
  void write(std::size_t index);
  void count(const perf_events::record_view& record);
  void count_left_out(const perf_events::record_view& record);
  [[nodiscard]] bool crowded() const;
  void add_run(const perf_events::ring_view& view, std::uint64_t begin, std::uint64_t end);
  void append_pieces();

  std::vector<perf_events::ring_view> rings_;
  sample_file* file_;
  sieve* sieve_ = nullptr;
  holding holding_ = holding::none;
  std::vector<cursor> cursors_;
  std::vector<iovec> pieces_;
  drain_counts counts_;
  drain_counts written_counts_;
  exec_watch execs_;
};

}  // namespace stallscope::collect
