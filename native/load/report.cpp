#include "load/report.hpp"

#include <sys/types.h>
#include <unistd.h>

#include <algorithm>

#include "base/json.hpp"
#include "load/loader_saturation.hpp"

namespace stallscope::load {
namespace {

constexpr double ns_per_us = 1000;
// share of the requested rate below which there is a warning
constexpr double min_rate_share = 0.98;

std::string text_of(const json& document, int indent = -1) { return document.dump(indent); }

json us_at(const histogram::histogram& values, double percentile) {
  if (values.count() == 0) return nullptr;
  return static_cast<double>(values.value_at_percentile(percentile)) / ns_per_us;
}

json percentiles(const histogram::histogram& values) {
  return {{"mean", values.count() == 0 ? json() : json(values.mean() / ns_per_us)},
          {"p50", us_at(values, 50)},
          {"p90", us_at(values, 90)},
          {"p95", us_at(values, 95)},
          {"p99", us_at(values, 99)},
          {"p99.9", us_at(values, 99.9)},
          {"max", us_at(values, 100)}};
}

template <typename Member>
std::uint64_t sum(const load_result& result, Member thread_account::*member) {
  std::uint64_t total = 0;
  for (const auto& thread : result.threads) total += thread.*member;
  return total;
}

double measured_s(const load_result& result) {
  return std::chrono::duration<double>(result.measured()).count();
}

json rate_achieved(const load_result& result) {
  const double seconds = measured_s(result);
  if (seconds <= 0) return nullptr;
  return static_cast<double>(result.all.answered) / seconds;
}

json warnings_of(const options& settings, const load_result& result) {
  json list = json::array();
  const auto warn = [&](std::string message) { list.push_back(std::move(message)); };
  const json rate = rate_achieved(result);
  if (settings.when.rate_per_s && rate.is_number() &&
      rate.get<double>() < min_rate_share * *settings.when.rate_per_s) {
    warn(
        "the achieved rate is below the requested rate: latencies grow with the "
        "length of the run and do not describe a steady state");
  }
  const std::uint64_t open = sum(result, &thread_account::unanswered);
  const std::uint64_t unsent = sum(result, &thread_account::unsent);
  if (open + unsent != 0) {
    warn(std::to_string(open) + " requests had no reply at the end of the run, and " +
         std::to_string(unsent) +
         " due requests were not sent: the percentiles omit them and are too low");
  }
  if (const auto lost = sum(result, &thread_account::connections_lost); lost != 0) {
    warn("the target closed " + std::to_string(lost) + " connections");
  }
  if (result.all.intended.clamped() != 0) {
    warn("latencies above one hour are reported as one hour");
  }
  if (std::ranges::any_of(result.threads,
                          [](const auto& thread) { return !thread.run_delay_ns; })) {
    warn("the time that the loader waited for a CPU is unknown: schedstat is off");
  }
  if (!result.log_error.empty()) warn(result.log_error);
  return list;
}

json mean_size(const event_bursts& of) {
  if (of.bursts == 0) return nullptr;
  return static_cast<double>(of.events) / static_cast<double>(of.bursts);
}

// Results of the numbered requests; null if there were none.
void add_check(json& document, const options& settings, const load_result& result) {
  check_counts all;
  for (const auto& thread : result.threads) all.add(thread.check);
  const auto checked = [&](std::uint64_t count) {
    return settings.what.check ? json(count) : json();
  };
  document["checked"] = checked(all.in_order);
  document["lost"] = checked(all.lost);
  document["doubled"] = checked(all.doubled);
  document["reordered"] = checked(all.reordered);
  document["foreign"] = checked(all.foreign);
}

json done_of(const options& settings, const load_result& result) {
  const loader_saturation saturation = check_loader_saturation(result.threads, result.all);
  const double cpu_s =
      static_cast<double>(sum(result, &thread_account::cpu_ns)) / static_cast<double>(second_ns);
  json kinds = json::object();
  for (const auto& [kind, times] : result.all.errors.kinds()) kinds[kind] = times;
  json document = {{"event", "done"},
                   {"schema", "stallscope.load/1"},
                   {"rate_requested",
                    settings.when.rate_per_s ? json(*settings.when.rate_per_s) : json(nullptr)},
                   {"rate_achieved", rate_achieved(result)},
                   {"requests", result.all.requests},
                   {"errors", result.all.errors.total()},
                   {"errors_by_kind", kinds},
                   {"nil_replies", result.all.nil},
                   {"measured_s", measured_s(result)},
                   {"latency_us", percentiles(result.all.intended)},
                   {"service_us", percentiles(result.all.service)},
                   {"send_lag_us", percentiles(result.all.lag)},
                   {"own_lag_us", percentiles(result.all.own_lag)},
                   {"connections_achieved", sum(result, &thread_account::connections_open)},
                   {"requests_per_burst", mean_size(result.all.sent_bursts)},
                   {"replies_per_burst", mean_size(result.all.reply_bursts)},
                   {"limited_by_loader", saturation.limited_by_loader},
                   {"why", saturation.why},
                   {"cpu_s", cpu_s},
                   {"interrupted", result.interrupted},
                   {"warnings", warnings_of(settings, result)}};
  add_check(document, settings, result);
  return document;
}

json options_of(const options& settings) {
  const auto& what = settings.what;
  return {{"target", settings.target},
          {"connections", settings.connections},
          {"threads", settings.threads},
          {"pipeline", settings.when.pipeline},
          {"mode", settings.when.rate_per_s ? "open" : "closed"},
          {"arrivals", settings.when.arrivals == arrival_process::poisson ? "poisson" : "fixed"},
          {"think_us", static_cast<double>(settings.when.think_ns) / ns_per_us},
          {"duration_s", static_cast<double>(settings.when.duration_ns) / second_ns},
          {"warmup_s", static_cast<double>(settings.when.warmup_ns) / second_ns},
          {"requests", settings.when.max_requests},
          {"seed", settings.when.seed},
          {"spin_us", static_cast<double>(settings.spin_ns) / ns_per_us},
          {"cpus", settings.cpus},
          {"keys", what.keys},
          {"zipf", what.zipf ? json(*what.zipf) : json(nullptr)},
          {"value_bytes", {what.min_value_bytes, what.max_value_bytes}},
          {"read_share", what.read_share},
          {"request_file", what.request_file.empty() ? json(nullptr) : json(what.request_file)},
          {"check", what.check},
          {"fill", what.fill}};
}

json account_of(const thread_account& thread) {
  const auto seconds = [](std::uint64_t ns) { return static_cast<double>(ns) / second_ns; };
  return {
      {"wall_s", seconds(thread.wall_ns)},
      {"cpu_s", seconds(thread.cpu_ns)},
      {"spin_s", seconds(thread.spin_ns)},
      {"run_delay_s", thread.run_delay_ns ? json(seconds(*thread.run_delay_ns)) : json(nullptr)},
      {"unanswered", thread.unanswered},
      {"unsent", thread.unsent},
      {"connections_lost", thread.connections_lost}};
}

}  // namespace

std::chrono::nanoseconds load_result::measured() const {
  std::uint64_t longest = 0;
  for (const auto& thread : threads) longest = std::max(longest, thread.measured_ns);
  return std::chrono::nanoseconds(longest);
}

std::string started_line(const options& settings) {
  return text_of({{"event", "started"},
                  {"schema", "stallscope.load/1"},
                  {"version", STALLSCOPE_VERSION},
                  {"pid", ::getpid()},
                  {"connections", settings.connections}});
}

std::string second_line(double at_s, const measurements& values) {
  return text_of({{"event", "second"},
                  {"t", at_s},
                  {"requests", values.requests},
                  {"errors", values.errors.total()},
                  {"p50_us", us_at(values.intended, 50)},
                  {"p99_us", us_at(values.intended, 99)}});
}

std::string done_line(const options& settings, const load_result& result) {
  return text_of(done_of(settings, result));
}

std::string load_document(const options& settings, const load_result& result, double started_at_s) {
  json document = done_of(settings, result);
  document.erase("event");
  document["version"] = STALLSCOPE_VERSION;
  document["started_at_s"] = started_at_s;
  document["options"] = options_of(settings);
  document["threads"] = json::array();
  for (const auto& thread : result.threads) document["threads"].push_back(account_of(thread));
  return text_of(document, 1) + "\n";
}

std::string target_failure(const load_result& result) {
  check_counts check;
  for (const auto& thread : result.threads) check.add(thread.check);
  if (check.wrong() != 0) {
    return "of " + std::to_string(check.sent) + " numbered requests " + std::to_string(check.lost) +
           " replies were lost, " + std::to_string(check.doubled) + " doubled, " +
           std::to_string(check.reordered) + " out of order and " + std::to_string(check.foreign) +
           " from another connection";
  }
  if (std::ranges::any_of(result.threads, [](const auto& thread) { return thread.target_lost; })) {
    return "it closed all connections and accepts no new ones";
  }
  if (result.all.requests == 0 && result.all.errors.total() != 0) {
    return "every reply was an error (" + std::to_string(result.all.errors.total()) + " " +
           result.all.errors.kinds().begin()->first + " ...)";
  }
  return "";
}

}  // namespace stallscope::load
