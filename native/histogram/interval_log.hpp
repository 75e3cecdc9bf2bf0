// A file of histograms, one line an interval: HdrHistogram's interval log, format version 1.3,
// which its tools and libraries read. Each line is appended by one write, so that the file is whole
// up to its last line whenever it ends. Any thread, one at a time; a line costs what
// encode_base64() does and a write.
#pragma once

#include <chrono>
#include <string>

#include "base/descriptor.hpp"
#include "histogram/histogram.hpp"

namespace stallscope::histogram {

class interval_log {
 public:
  // Writes the head into a file that was opened for appending. `name` is for messages. Times in
  // lines count from `start`, which is seconds since 1970. Throws std::system_error, as append().
  interval_log(descriptor file, std::string name, double start_s);

  // The values of an interval that began so long after the start; ns, told in ms where the line
  // names their maximum.
  void append(std::chrono::nanoseconds begin, std::chrono::nanoseconds length,
              const histogram& values);

 private:
  void write(const std::string& text);

  descriptor file_;
  std::string name_;
};

}  // namespace stallscope::histogram
