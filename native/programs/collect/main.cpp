// stallscope-collect: samples a target into a recording directory, or counts its events. Errors go
// to the progress descriptor, if there is one, and to standard error otherwise.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/program.hpp"
#include "collect/end_guard.hpp"
#include "collect/probe.hpp"
#include "collect/runtime_probe.hpp"
#include "collect/session.hpp"
#include "command_line.hpp"
#include "count/session.hpp"
#include "count_command_line.hpp"

namespace {

using stallscope::exit_code;
using stallscope::failure;
using stallscope::program;
using stallscope::collect::reporter;

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

exit_code count(const program& shell, const std::vector<std::string>& words, reporter& report,
                const sigset_t& child_mask) {
  const auto parsed = stallscope::collect::parse_count_command_line(words);
  if (!parsed || (parsed->die_with_parent && !shell.follow_parent())) return exit_code::done;
  return stallscope::count::count_events(parsed->options, report, child_mask);
}

exit_code sample(const program& shell, const std::vector<std::string>& words, reporter& report,
                 const sigset_t& child_mask) {
  const auto parsed = stallscope::collect::parse_command_line(words);
  if (!parsed || (parsed->die_with_parent && !shell.follow_parent())) return exit_code::done;
  if (parsed->probe) {
    std::fputs(stallscope::collect::probe_machine().c_str(), stdout);
    return exit_code::done;
  }
  if (parsed->runtimes_of != 0) {
    const auto text =
        stallscope::collect::probe_runtimes(stallscope::procfs{}, parsed->runtimes_of);
    std::fputs(text.c_str(), stdout);
    return exit_code::done;
  }
  return stallscope::collect::record(parsed->options, report, child_mask);
}

}  // namespace

int main(int argc, char** argv) {
  const program shell{"stallscope-collect",
                      "see stallscope doctor for what this machine can measure"};
  const std::vector<std::string> words(argv, argv + argc);
  reporter report{progress_fd_of(words)};
  const auto report_failure = [&report](const failure& error) { report.error(error); };
  return shell.run(
      [&] {
        const auto child_mask = stallscope::collect::block_ending_signals();
        const bool counts = words.size() > 1 && words[1] == "count";
        return counts ? count(shell, words, report, child_mask)
                      : sample(shell, words, report, child_mask);
      },
      report_failure);
}
