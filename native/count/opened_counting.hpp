// A counting whose output is open and whose counters are not: nothing is counted yet. Costs a few
// writes. One thread; it must outlive the attached counting.
//
//   opened_counting opened{prepared};
//   attached_counting attached{opened, watch};
#pragma once

#include <optional>

#include "collect/end_watch.hpp"
#include "collect/output_directory.hpp"
#include "collect/reporter.hpp"
#include "count/counter_log.hpp"
#include "count/prepared_counting.hpp"

namespace stallscope::count {

class opened_counting {
 public:
  // Throws failure if the output cannot be written.
  explicit opened_counting(prepared_counting& prepared);

  [[nodiscard]] prepared_counting& prepared() { return *prepared_; }
  [[nodiscard]] count_facts& facts() { return prepared_->facts; }
  [[nodiscard]] const count_facts& facts() const { return prepared_->facts; }
  [[nodiscard]] counter_log& log() { return *log_; }
  [[nodiscard]] const collect::output_directory& directory() const { return output_; }
  // The numbers of the counting so far, or at its end.
  [[nodiscard]] collect::progress_numbers numbers() const;

  // Writes the document of a counting that has begun, and makes the directory visible.
  void commit();
  // Ends the command and writes the final document.
  void close(collect::end_watch& watch);
  // The same after a failed write: keeps the data written so far.
  void close_incomplete(collect::end_watch& watch);

 private:
  void write_document(bool complete);
  void end_command(collect::end_watch& watch);

  prepared_counting* prepared_;
  collect::output_directory output_;
  std::optional<counter_log> log_;
};

}  // namespace stallscope::count
