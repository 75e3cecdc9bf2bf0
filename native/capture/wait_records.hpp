// Collects what a capture records about waiting. The first pass appends rows in the order of the
// file; finish() sorts them by time and decodes tracepoints, whose names may follow the records.
// Costs 21 bytes and some 50 ns per switch, 40 bytes more per tracepoint until they are decoded.
// One thread.
#pragma once

#include <cstdint>
#include <vector>

#include "capture/capture.hpp"
#include "capture/sample_layout.hpp"
#include "capture/sideband.hpp"
#include "capture/thread_table.hpp"
#include "capture/tracepoint_fields.hpp"

namespace stallscope::capture {

class wait_records {
 public:
  explicit wait_records(memory_budget& budget) : budget_(budget), raw_(budget) {}

  struct switch_row {
    std::uint64_t time_ns;
    std::uint32_t thread;
    std::uint32_t other;
    std::int32_t cpu;
    std::uint16_t misc;
  };
  void add_switch(const switch_row& row, switch_columns& into);
  // Keeps the registers and the tracepoint's fields of the sample that was added last.
  void add_sample(const attribute& event, const sample_fields& fields, bool swap,
                  capture_content& into);
  void add_lost(std::int32_t cpu, std::uint64_t time_ns, std::uint64_t count, lost_columns& into);

  // Extends the columns of rows to all samples, before they are sorted.
  static void pad(sample_columns& samples);
  // Completes the columns. The samples are sorted and their stacks resolved.
  void finish(thread_table& threads, const sideband& side, capture_content& into);

 private:
  [[nodiscard]] std::uint64_t& latest_ns(std::int32_t cpu);
  void note_time(std::int32_t cpu, std::uint64_t time_ns);
  void sort_switches(switch_columns& switches);
  // Returns whether it has added switches, which are not in order of time.
  bool decode(thread_table& threads, capture_content& into);

  memory_budget& budget_;
  column<raw_fields> raw_;
  std::vector<std::uint64_t> latest_ns_;  // of each CPU; the first is that of records without a CPU
};

}  // namespace stallscope::capture
