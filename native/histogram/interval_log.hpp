// A file of histograms, one line per interval, in HdrHistogram's interval log format 1.3. A line is
// appended by a single write, so that the file stays valid up to its last line. A line costs an
// encode_base64() and a write. Any thread, one at a time.
//
//   interval_log log(std::move(file), "latency.hlog", start_s);
//   log.append(0s, 1s, latencies);
#pragma once

#include <chrono>
#include <string>

#include "base/descriptor.hpp"
#include "histogram/histogram.hpp"

namespace stallscope::histogram {

class interval_log {
 public:
  // Writes the header to a file that is open for appending. `name` appears in error messages. Times
  // in lines are relative to `start_s`, in seconds since 1970. Throws std::system_error, as
  // append() does.
  interval_log(descriptor file, std::string name, double start_s);

  // Appends the values of an interval, in ns; `begin` is relative to the start. The line states
  // their maximum in ms.
  void append(std::chrono::nanoseconds begin, std::chrono::nanoseconds length,
              const histogram& values);

 private:
  void write(const std::string& text);

  descriptor file_;
  std::string name_;
};

}  // namespace stallscope::histogram
