#include "command_line.hpp"

#include <algorithm>
#include <bit>

#include "arguments.hpp"
#include "base/command_line.hpp"
#include "collect/reporter.hpp"

namespace stallscope::collect {
namespace {

constexpr const char* summary =
    "Samples processes, a command, CPUs or a cgroup into a recording directory.";

constexpr const char* examples =
    "Examples:\n"
    "  stallscope-collect -p 1234 -o run --duration 10      a running process\n"
    "  stallscope-collect -p 1234,1250 -o run               two processes, until they end or "
    "Ctrl-C\n"
    "  stallscope-collect -o run -- make -j4                a command and its children\n"
    "  stallscope-collect -a -o run --duration 5            all CPUs\n"
    "  stallscope-collect -C 0-3,8 -F 199 -o run            some CPUs, 199 samples per second\n"
    "  stallscope-collect -G system.slice/redis.service -o run\n"
    "  stallscope-collect --stacks dwarf --stack-bytes 16384 -p 1234 -o run\n"
    "  stallscope-collect count --help                      count events instead\n"
    "  stallscope-collect -o run -e task-clock --with page-faults,context-switches -- make\n"
    "  stallscope-collect --flight 30 -p 1234 -o run        the last 30 s before Ctrl-C\n"
    "  stallscope-collect --probe                           the events this user can measure\n"
    "Exit codes: 0 success; 2 usage error; 3 unsupported or not permitted on this machine; 4 the "
    "target failed; 5 no samples or most samples lost.";

// A copy must hold more than a frame, and the size of a sample has 16 bits.
constexpr unsigned min_stack_bytes = 256;
constexpr unsigned max_stack_bytes = 65'528;
// 10,000 switches per second with stacks write 2 GiB in 40 s.
constexpr std::uint64_t default_wait_bytes = std::uint64_t{2} << 30U;
// 999 copied stacks of 8 KiB per second on 16 busy CPUs write 8 GiB in a minute.
constexpr std::uint64_t default_max_bytes = std::uint64_t{8} << 30U;

// The option values, before they are validated together.
struct raw_options : raw_common_options {
  std::uint64_t flight_mib = 64;
  std::uint64_t ring_kib = 0;
  std::uint64_t max_stack = 0;
  std::string stacks = "auto";
  std::string python = "auto";
  bool user = false;
  bool kernel = false;
  bool probe = false;
  int runtimes_of = 0;
  bool has_stack_bytes = false;
  std::uint64_t max_size_mib = 0;
  bool has_max_size = false;
};

void add_flight(cli::command& app, raw_options& raw, collect_options& options) {
  app.add_option("--flight", options.flight_s,
                 "Keep the last seconds in memory only, and write them at the end")
      .check(cli::positive_number());
  app.add_option("--flight-memory", raw.flight_mib,
                 "Memory for the last seconds in MiB; with less, they are fewer")
      .check(cli::range(4, 1 << 20))
      .capture_default_str();
  app.add_option("--flight-ends", options.flight_ends,
                 "Ends after which the last seconds are written, out of \"stopped\" on the control "
                 "descriptor, \"target ended\", \"signal\" and \"duration\" (default: all)")
      .delimiter(',');
}

void add_size_limit(cli::command& app, raw_options& raw) {
  app.add_option("--max-size", raw.max_size_mib,
                 "End the recording at this size in MiB, with a warning (default: 2048 with "
                 "--waits, otherwise 8192)")
      .check(cli::range(1, 1 << 30));
}

void add_sampling(cli::command& app, raw_options& raw, collect_options& options) {
  app.add_option(
      "-e,--event", options.event,
      "Event to sample, by its libpfm4 name (default: cycles, or cpu-clock if the machine "
      "has no cycles)");
  app.add_option("--with", options.with,
                 "Events to count in the same group; each sample holds their counts. A name may "
                 "include its encoding: NAME=TYPE:CONFIG[:CONFIG1[:CONFIG2]]")
      .delimiter(',');
  app.add_option(
      "--leader", options.leader,
      "Event that leads the group without sampling, if the CPU requires a leader (slots)");
  const cli::option rate =
      app.add_option("-F,--freq", options.frequency_hz, "Samples per second and CPU")
          .check(cli::positive_number())
          .capture_default_str();
  app.add_option("-c,--count", options.period, "Sample after every N events instead")
      .excludes(rate)
      .check(cli::positive_number());
  app.add_option("--duration", options.duration_s,
                 "Length of the recording in seconds (default: until the target ends)")
      .check(cli::positive_number());
  const cli::option user = app.add_flag("--user", raw.user, "Sample user code only");
  app.add_flag("--kernel", raw.kernel, "Fail if kernel code may not be sampled").excludes(user);
  app.add_option("--ring-kib", raw.ring_kib,
                 "Ring buffer per CPU in KiB, a power of two (default: from the sample rate)")
      .check(cli::range(64, 1 << 20));
  app.add_option("--max-stack", raw.max_stack,
                 "Frames per call chain (default: the kernel's limit)")
      .check(cli::range(1, 1024));
}

void add_python(cli::command& app, raw_options& raw) {
  app.add_option(
         "--python", raw.python,
         "Frames of CPython 3.11 and later, V8 and HotSpot: auto (read them, the default) or off")
      .check(cli::one_of({"auto", "off"}));
}

void add_waits(cli::command& app, collect_options& options) {
  app.add_flag("--waits", options.waits,
               "Record context switches, and with the right to trace whole CPUs also wake-ups; "
               "Python frames are not read");
  app.add_flag("--requests", options.requests,
               "Record the marks of requests that processes of the target write "
               "(stallscope_request.h)");
  app.add_option("--slow-requests", options.slow_requests_ns,
                 "Latencies in nanoseconds; the progress counts the requests above each")
      .delimiter(',');
  app.add_option("--wait-stack-bytes", options.wait_stack_bytes,
                 "Size of the stack copy per context switch in bytes, a multiple of 8; 0: none")
      .capture_default_str()
      .check(cli::range(0U, max_stack_bytes));
  app.add_option("--max-cost", options.max_cost,
                 "Largest cost of recording waits, as a share of the target's CPU time; above it, "
                 "switches are recorded in random windows only")
      .capture_default_str()
      .check(cli::range(0.001, 100.0));
  app.add_option("--owner-share", options.owner_share,
                 "Largest share of a CPU for reading the owners of locks; above it, waits have no "
                 "owner for a while")
      .capture_default_str()
      .check(cli::range(0.0001, 1.0));
}

void add_stacks(cli::command& app, raw_options& raw, collect_options& options) {
  app.add_option("--stacks", raw.stacks,
                 "Method for user stacks: frame pointers (fp), copies that are unwound later "
                 "(dwarf), or chosen from the target's code (auto, the default)")
      .transform(cli::one_of_in_any_case({"fp", "dwarf", "auto"}));
  app.add_option("--stack-bytes", options.stack_bytes,
                 "Size of a stack copy in bytes, a multiple of 8")
      .capture_default_str()
      .check(cli::range(min_stack_bytes, max_stack_bytes));
}

void choose_target(const raw_options& raw, collect_options& options) {
  const int targets = (raw.pids.empty() ? 0 : 1) + (raw.all_cpus || !raw.cpus.empty() ? 1 : 0) +
                      (options.cgroup.empty() ? 0 : 1) + (options.command.empty() ? 0 : 1);
  if (targets == 0)
    usage("no target was named", "give -p PID, -a, -C LIST, -G CGROUP or -- COMMAND");
  if (targets > 1 || (raw.all_cpus && !raw.cpus.empty()))
    usage("more than one kind of target was named", "give one of -p, -a, -C, -G and -- COMMAND");
  options.pids = checked_pids(raw.pids);
  options.cpus = checked_cpus(raw.cpus);
  options.kind = !raw.pids.empty()          ? target_kind::process
                 : !options.command.empty() ? target_kind::command
                 : !options.cgroup.empty()  ? target_kind::cgroup
                                            : target_kind::cpus;
}

void check_waits(const collect_options& options) {
  if (!options.waits) return;
  if (options.kind == target_kind::cpus || options.kind == target_kind::cgroup)
    usage("--waits records the waits of processes", "name them with -p, or give -- COMMAND");
  if (options.wait_stack_bytes % 8 != 0)
    usage("--wait-stack-bytes must be a multiple of 8, such as 4096");
}

void check_options(const cli::command& app, const raw_options& raw, collect_options& options) {
  check_protocol(raw.protocol);
  if (raw.probe || raw.runtimes_of != 0) return;
  choose_target(raw, options);
  check_output_options(app, options, "see stallscope-collect --help");
  if (raw.ring_kib != 0 && !std::has_single_bit(raw.ring_kib))
    usage("--ring-kib must be a power of two, such as 2048");
  options.stacks = raw.stacks == "fp"      ? stack_method::frame_pointers
                   : raw.stacks == "dwarf" ? stack_method::copies
                                           : stack_method::automatic;
  if (options.stack_bytes % 8 != 0) usage("--stack-bytes must be a multiple of 8, such as 8192");
  if (raw.has_stack_bytes && options.stacks == stack_method::frame_pointers)
    usage("--stacks fp copies no stacks, so --stack-bytes has no effect",
          "omit one of them, or use --stacks dwarf");
  options.ring_bytes = static_cast<std::size_t>(raw.ring_kib) << 10U;
  options.flight_bytes = raw.flight_mib << 20U;
  if (!options.slow_requests_ns.empty() && !options.requests)
    usage("--slow-requests counts requests of --requests", "give both, or neither");
  options.max_stack = static_cast<std::uint16_t>(raw.max_stack);
  options.python = raw.python == "auto" && !options.waits;
  options.runtimes = raw.python == "auto";
  options.stack_bytes_requested = raw.has_stack_bytes;
  check_waits(options);
  options.max_bytes = raw.has_max_size ? raw.max_size_mib << 20U
                      : options.waits  ? default_wait_bytes
                                       : default_max_bytes;
  options.scope = raw.user     ? privilege_scope::user
                  : raw.kernel ? privilege_scope::kernel
                               : privilege_scope::allowed;
}

}  // namespace

std::optional<parsed_command_line> parse_command_line(const std::vector<std::string>& words) {
  parsed_command_line parsed;
  raw_options raw;
  parsed.options.arguments = words;
  const auto arguments = split_arguments(words);
  parsed.options.command = arguments.command;

  cli::parser app{summary, "stallscope-collect"};
  app.set_version_flag("--version", "stallscope-collect " STALLSCOPE_VERSION " (protocol 1)");
  app.footer(examples);
  add_target_options(app, raw, parsed.options);
  add_sampling(app, raw, parsed.options);
  add_stacks(app, raw, parsed.options);
  add_python(app, raw);
  add_waits(app, parsed.options);
  add_output_options(app, raw, parsed.options);
  add_size_limit(app, raw);
  add_flight(app, raw, parsed.options);
  add_die_with_parent(app, parsed.die_with_parent);
  app.add_flag("--probe", raw.probe, "Print the events this user can measure here, as JSON");
  app.add_option("--runtimes", raw.runtimes_of,
                 "Print the runtimes of this process whose frames are readable, as JSON")
      .check(cli::positive_number());
  if (!stallscope::parse_arguments(app, arguments.options)) return std::nullopt;
  raw.has_stack_bytes = app.count("--stack-bytes") != 0;
  raw.has_max_size = app.count("--max-size") != 0;
  check_options(app, raw, parsed.options);
  parsed.probe = raw.probe;
  parsed.runtimes_of = raw.runtimes_of;
  return parsed;
}

}  // namespace stallscope::collect
