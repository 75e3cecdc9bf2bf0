#include "histogram/interval_log.hpp"

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "base/failure.hpp"
#include "histogram/encoding.hpp"

namespace stallscope::histogram {
namespace {

std::string thousandths(double number) {
  char text[64];
  std::snprintf(text, sizeof text, "%.3f", number);
  return text;
}

std::string seconds(std::chrono::nanoseconds time) {
  return thousandths(std::chrono::duration<double>(time).count());
}

}  // namespace

interval_log::interval_log(descriptor file, std::string name, double start_s)
    : file_{std::move(file)}, name_{std::move(name)} {
  const std::string start = thousandths(start_s);
  write("#[Histogram log format version 1.3]\n#[StartTime: " + start +
        " (seconds since epoch)]\n#[BaseTime: " + start +
        " (seconds since epoch)]\n"
        "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_"
        "Histogram\"\n");
}

void interval_log::append(std::chrono::nanoseconds begin, std::chrono::nanoseconds length,
                          const histogram& values) {
  write(seconds(begin) + "," + seconds(length) + "," +
        thousandths(static_cast<double>(values.max()) / 1e6) + "," + encode_base64(values) + "\n");
}

void interval_log::write(const std::string& text) {
  const auto written = ::write(file_.get(), text.data(), text.size());
  if (written == static_cast<ssize_t>(text.size())) return;
  throw output_error(written < 0 ? errno : ENOSPC, "cannot write " + name_);
}

}  // namespace stallscope::histogram
