// The last batches that the stages of one thread ran, in order, so that a simulation can run
// batches of the same sizes. 8 bytes per batch in memory that is allocated once; recording is one
// store. Written by the thread of the stages; read after they have stopped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace stallscope::stages {

struct batch {
  std::uint32_t stage;  // number of the stage; 0 is the first of the path
  std::uint32_t calls;
  bool operator==(const batch&) const = default;
};

class batch_log {
 public:
  explicit batch_log(std::size_t capacity = std::size_t{1} << 18) : batches_(capacity) {}

  void record(std::uint32_t stage, std::size_t calls) noexcept {
    batches_[next_] = {stage, static_cast<std::uint32_t>(calls)};
    next_ = next_ + 1 == batches_.size() ? 0 : next_ + 1;
    full_ = full_ || next_ == 0;
  }

  [[nodiscard]] std::vector<batch> recorded() const;  // oldest first

 private:
  std::vector<batch> batches_;
  std::size_t next_ = 0;
  bool full_ = false;
};

// The file format: the first line "stallscope.batches/1 NAME..." names the stages in order; each
// following line "STAGE CALLS" is one batch.
struct batch_file {
  std::vector<std::string> stages;
  std::vector<batch> batches;
};

void write_batches(std::ostream& out, const batch_file& file);

// Throws std::runtime_error with the line number if the file has another format or more than
// `max_batches` batches.
batch_file read_batches(std::istream& in, std::size_t max_batches = std::size_t{1} << 22);

}  // namespace stallscope::stages
