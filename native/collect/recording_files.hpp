// The files of a recording: recording.json, samples.perf, counters.jsonl and kallsyms. Until
// commit(), the destructor removes them and restores the recording that was replaced. One thread.
//
//   recording_files files{options.directory, options.force};
//   files.begin(facts);
//   files.samples().append(header);
//   files.commit(facts);
//   files.close(facts, hurried);
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "collect/output_directory.hpp"
#include "collect/recording_document.hpp"
#include "collect/sample_file.hpp"

namespace stallscope::collect {

class recording_files {
 public:
  // Throws failure (usage) if the directory is in use or cannot be written.
  recording_files(const std::string& path, bool force) : directory_{path, force} {}

  // Writes an incomplete document and creates samples.perf.
  void begin(recording_facts& facts);
  // Keeps the recording, whose document is still marked as incomplete.
  void commit(recording_facts& facts);
  // Writes the remaining files and the complete document. hurried() ends the copy of the kernel's
  // symbols.
  void close(recording_facts& facts, const std::function<bool()>& hurried);
  // Keeps the data written so far after a failed write.
  void close_incomplete(recording_facts& facts);

  [[nodiscard]] output_directory& directory() { return directory_; }
  [[nodiscard]] sample_file& samples() { return *samples_; }
  [[nodiscard]] const sample_file& samples() const { return *samples_; }

 private:
  void write_document(recording_facts& facts, bool complete);
  void copy_kernel_symbols(recording_facts& facts, const std::function<bool()>& hurried);

  output_directory directory_;
  std::optional<sample_file> samples_;
};

}  // namespace stallscope::collect
