#include "count_command_line.hpp"

#include "arguments.hpp"
#include "base/command_line.hpp"
#include "collect/reporter.hpp"

namespace stallscope::collect {
namespace {

constexpr const char* count_summary =
    "Counts the events of a plan for processes, threads, a command, CPUs or a cgroup and writes "
    "the "
    "counts of every time window into a recording directory.";

constexpr const char* count_examples =
    "Examples:\n"
    "  stallscope-collect count --plan plan.json -o run -- make     a command and its children\n"
    "  stallscope-collect count --plan plan.json -p 1234 -o run --duration 10\n"
    "  stallscope-collect count --plan plan.json -p 1234 --per-thread -o run\n"
    "  stallscope-collect count --plan plan.json --tid 1240,1241 -o run\n"
    "  stallscope-collect count --plan plan.json -a -o run --window 500 --duration 5\n"
    "  stallscope-collect count --plan plan.json -G system.slice/redis.service -o run\n"
    "A plan names sets of events that are counted together: see docs/recording.md.\n"
    "Exit codes: 0 success; 2 usage error; 3 unsupported or not permitted on this machine; 4 the "
    "target failed.";

// The option values, before they are validated together.
struct raw_count_options : raw_common_options {
  std::vector<pid_t> tids;
};

void add_counted_threads(cli::command& app, raw_count_options& raw, count::count_options& options) {
  app.add_flag("--per-thread", options.per_thread,
               "With -p: separate counts per thread; new threads start with the next window");
  app.add_option("--tid", raw.tids, "Single threads, without their children").delimiter(',');
}

void add_counting(cli::command& app, count::count_options& options) {
  app.add_option("--plan", options.plan, "Plan file: sets of events and their encodings, as JSON");
  app.add_option("--window", options.window_ms, "Time between reads in milliseconds, at least 50")
      .capture_default_str()
      .check(cli::range(count::min_window_ms, count::max_window_ms));
  app.add_option("--duration", options.duration_s,
                 "Length of the counting in seconds (default: until the target ends)")
      .check(cli::positive_number());
  app.add_flag("--user", options.user_only, "Count user code only");
  app.add_option("--phases", options.phases_fd,
                 "Descriptor to read \"start [NS]\" and \"stop [NS]\" lines from: only what runs "
                 "between them is counted; end of file ends the counting");
}

void choose_count_target(const raw_count_options& raw, count::count_options& options) {
  const int targets = (raw.pids.empty() ? 0 : 1) + (raw.tids.empty() ? 0 : 1) +
                      (raw.all_cpus || !raw.cpus.empty() ? 1 : 0) +
                      (options.cgroup.empty() ? 0 : 1) + (options.command.empty() ? 0 : 1);
  if (targets == 0)
    usage("no target was named", "give -p PID, --tid TID, -a, -C LIST, -G CGROUP or -- COMMAND");
  if (targets > 1 || (raw.all_cpus && !raw.cpus.empty()))
    usage("more than one kind of target was named",
          "give one of -p, --tid, -a, -C, -G and -- COMMAND");
  if (options.per_thread && raw.pids.empty())
    usage("--per-thread requires processes", "name them with -p");
  options.pids = checked_pids(raw.pids);
  options.tids = checked_pids(raw.tids);
  options.cpus = checked_cpus(raw.cpus);
  options.target = !raw.pids.empty()          ? count::count_target::processes
                   : !raw.tids.empty()        ? count::count_target::threads
                   : !options.command.empty() ? count::count_target::command
                   : !options.cgroup.empty()  ? count::count_target::cgroup
                                              : count::count_target::cpus;
}

void check_count_options(const cli::command& app, const raw_count_options& raw,
                         count::count_options& options) {
  check_protocol(raw.protocol);
  choose_count_target(raw, options);
  if (options.plan.empty()) usage("no plan was named", "give one with --plan FILE");
  check_output_options(app, options, "see stallscope-collect count --help");
  if (app.count("--phases") != 0) check_descriptor("--phases", options.phases_fd);
}

}  // namespace

std::optional<parsed_count_command_line> parse_count_command_line(
    const std::vector<std::string>& words) {
  parsed_count_command_line parsed;
  raw_count_options raw;
  parsed.options.arguments = words;
  auto arguments = split_arguments(words);
  parsed.options.command = arguments.command;
  arguments.options.erase(arguments.options.begin());  // "count"

  cli::parser app{count_summary, "stallscope-collect count"};
  app.footer(count_examples);
  add_target_options(app, raw, parsed.options);
  add_counted_threads(app, raw, parsed.options);
  add_counting(app, parsed.options);
  add_output_options(app, raw, parsed.options);
  add_die_with_parent(app, parsed.die_with_parent);
  if (!stallscope::parse_arguments(app, arguments.options)) return std::nullopt;
  check_count_options(app, raw, parsed.options);
  return parsed;
}

}  // namespace stallscope::collect
