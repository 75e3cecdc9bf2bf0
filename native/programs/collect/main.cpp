// stallscope-collect: samples a target into a recording directory, or counts its events. It has its
// own error report instead of program::run(), because errors also go to the progress descriptor.
#include <cstdio>
#include <exception>
#include <optional>

#include "collect/end_watch.hpp"
#include "collect/probe.hpp"
#include "collect/session.hpp"
#include "command_line.hpp"
#include "count/count_session.hpp"
#include "count_command_line.hpp"

namespace {

using stallscope::exit_code;
using stallscope::failure;

// Reads --progress-fd before the other options, so that usage errors are reported there, too.
int progress_fd_of(const std::vector<std::string>& words) {
  for (std::size_t i = 1; i < words.size() && words[i] != "--"; ++i) {
    static constexpr std::string_view flag = "--progress-fd";
    if (!words[i].starts_with(flag)) continue;
    const bool joined = words[i].size() > flag.size() && words[i][flag.size()] == '=';
    const std::string value = joined                 ? words[i].substr(flag.size() + 1)
                              : i + 1 < words.size() ? words[i + 1]
                                                     : "";
    return value.empty() ? -1 : std::atoi(value.c_str());
  }
  return -1;
}

exit_code collect(const std::vector<std::string>& words, stallscope::collect::reporter& report) {
  const auto child_mask = stallscope::collect::block_ending_signals();
  if (words.size() > 1 && words[1] == "count") {
    const auto options = stallscope::collect::parse_count_command_line(words);
    return options ? stallscope::count::count_session{*options, report}.run(child_mask)
                   : exit_code::done;
  }
  const auto parsed = stallscope::collect::parse_command_line(words);
  if (parsed.exit_status) return exit_code::done;
  if (parsed.probe) {
    std::fputs(stallscope::collect::probe_machine().c_str(), stdout);
    return exit_code::done;
  }
  stallscope::collect::session session{parsed.options, report};
  return session.run(child_mask);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv, argv + argc);
  stallscope::collect::reporter report{progress_fd_of(words)};
  try {
    return static_cast<int>(collect(words, report));
  } catch (const failure& problem) {
    report.error(problem);
    return static_cast<int>(problem.code());
  } catch (const std::exception& error) {
    report.error({exit_code::unable, error.what(),
                  "see stallscope doctor for what this machine can measure"});
    return static_cast<int>(exit_code::unable);
  }
}
