#include "command_line.hpp"

#include "base/command_line.hpp"

namespace stallscope::known_disk {
namespace {

constexpr std::uint64_t ns_per_us = 1000;
constexpr std::uint64_t ns_per_ms = 1'000'000;
constexpr std::uint64_t max_us = 600'000'000;
constexpr std::uint64_t max_requests = std::uint64_t{1} << 40U;

void add_faults(cli::command& app, service_plan& plan, std::uint64_t& slow_us) {
  const cli::validator counts = cli::range(std::uint64_t{1}, max_requests);
  app.add_option("--fail-every", plan.fail_every, "Fail every Nth request with EIO").check(counts);
  app.add_option("--fail-after", plan.fail_after, "Fail all requests with EIO after N requests")
      .check(counts);
  const cli::option slow =
      app.add_option("--slow-us", slow_us, "Service time of slow requests, in microseconds")
          .check(cli::range(std::uint64_t{0}, max_us));
  app.add_option("--slow-every", plan.slow_every, "Make every Nth request slow")
      .check(counts)
      .needs(slow);
  app.add_option("--slow-after", plan.slow_after, "Make all requests slow after N requests")
      .check(counts)
      .needs(slow);
}

void add_limits(cli::command& app, command_line& options, std::uint64_t& slice_ms) {
  app.add_option("--max-background", options.disk.max_background,
                 "Requests that the kernel sends at once; a small number is a hidden limit")
      .check(cli::range(1, 65535))
      .capture_default_str();
  app.add_option("--slice-requests", options.plan.slice_requests,
                 "Rate limit: requests started per time slice")
      .check(cli::range(std::uint64_t{1}, max_requests));
  app.add_option("--slice-ms", slice_ms, "Length of a time slice, in milliseconds")
      .check(cli::range(std::uint64_t{1}, std::uint64_t{60'000}))
      .capture_default_str();
}

}  // namespace

std::optional<command_line> parse_command_line(int argc, char** argv) {
  cli::parser app(
      "A disk with a known response curve: one file over FUSE, P servers with service time S",
      "stallscope-known-disk");
  app.set_version_flag("--version", "stallscope-known-disk " STALLSCOPE_VERSION);
  command_line options;
  std::uint64_t service_us = 2000;
  std::uint64_t slow_us = 0;
  std::uint64_t slice_ms = 100;
  app.add_option("--size-bytes", options.disk.size_bytes, "Size of the file, in bytes")
      .check(cli::range(std::uint64_t{4096}, std::uint64_t{1} << 50U))
      .capture_default_str();
  app.add_option("--servers", options.plan.servers, "Requests served at the same time")
      .check(cli::range(1U, 4096U))
      .capture_default_str();
  app.add_option("--service-us", service_us,
                 "Service time of a request, in microseconds; below 1000 the overhead shows")
      .check(cli::range(std::uint64_t{0}, max_us))
      .capture_default_str();
  app.add_flag("--exponential", options.plan.exponential,
               "Draw service times from an exponential distribution with that mean");
  app.add_option("--seed", options.plan.seed, "Seed of the random service times")
      .capture_default_str();
  add_limits(app, options, slice_ms);
  add_faults(app, options.plan, slow_us);
  app.footer(
      "Prints the path of its file as a line of JSON, and serves until it or its parent ends. The "
      "data\n"
      "are discarded. Example: stallscope-known-disk --servers 8 --service-us 2000");
  if (!stallscope::parse_arguments(app, argc, argv)) return std::nullopt;
  options.plan.service_ns = service_us * ns_per_us;
  options.plan.slow_service_ns = slow_us * ns_per_us;
  options.plan.slice_ns = slice_ms * ns_per_ms;
  return options;
}

}  // namespace stallscope::known_disk
