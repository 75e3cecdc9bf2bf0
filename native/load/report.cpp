#include "load/report.hpp"

#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "load/verdict.hpp"

namespace stallscope::load {
namespace {

using json = nlohmann::ordered_json;

constexpr double ns_per_us = 1000;
constexpr double least_rate_share = 0.98;  // of the asked rate, below which a warning tells it

std::string text_of(const json& document, int indent = -1) {
  return document.dump(indent, ' ', false, json::error_handler_t::replace);
}

json us_at(const histogram::histogram& values, double percentile) {
  if (values.count() == 0) return nullptr;
  return static_cast<double>(values.value_at_percentile(percentile)) / ns_per_us;
}

json percentiles(const histogram::histogram& values) {
  return {{"p50", us_at(values, 50)},
          {"p90", us_at(values, 90)},
          {"p99", us_at(values, 99)},
          {"p99.9", us_at(values, 99.9)},
          {"max", us_at(values, 100)}};
}

template <typename Member>
std::uint64_t sum(const outcome& found, Member thread_account::*member) {
  std::uint64_t total = 0;
  for (const auto& thread : found.threads) total += thread.*member;
  return total;
}

double measured_s(const outcome& found) {
  return std::chrono::duration<double>(found.measured()).count();
}

json rate_achieved(const outcome& found) {
  const double seconds = measured_s(found);
  if (seconds <= 0) return nullptr;
  return static_cast<double>(found.all.answered) / seconds;
}

json warnings_of(const options& asked, const outcome& found) {
  json list = json::array();
  const auto warn = [&](std::string message) { list.push_back(std::move(message)); };
  const json rate = rate_achieved(found);
  if (asked.when.rate_per_s && rate.is_number() &&
      rate.get<double>() < least_rate_share * *asked.when.rate_per_s) {
    warn(
        "fewer requests were answered than the requested rate requires: the latencies grow with "
        "the "
        "length of the run and describe no steady state");
  }
  const std::uint64_t open = sum(found, &thread_account::unanswered);
  const std::uint64_t unsent = sum(found, &thread_account::unsent);
  if (open + unsent != 0) {
    warn(std::to_string(open) + " requests had no reply when the run was over, and " +
         std::to_string(unsent) +
         " that were due had not been sent: the percentiles leave them out and are too low");
  }
  if (const auto lost = sum(found, &thread_account::connections_lost); lost != 0) {
    warn("the target closed " + std::to_string(lost) + " connections");
  }
  if (found.all.intended.clamped() != 0) {
    warn("latencies above one hour are reported as one hour");
  }
  if (std::ranges::any_of(found.threads, [](const auto& thread) { return !thread.run_delay_ns; })) {
    warn("the kernel does not report how long the loader waited for a CPU: schedstat is off");
  }
  if (!found.log_error.empty()) warn(found.log_error);
  return list;
}

// What the numbered requests found, each null where there were none.
void add_check(json& document, const options& asked, const outcome& found) {
  check_counts all;
  for (const auto& thread : found.threads) all.add(thread.check);
  const auto told = [&](std::uint64_t count) { return asked.what.check ? json(count) : json(); };
  document["checked"] = told(all.in_order);
  document["lost"] = told(all.lost);
  document["doubled"] = told(all.doubled);
  document["reordered"] = told(all.reordered);
  document["foreign"] = told(all.foreign);
}

json done_of(const options& asked, const outcome& found) {
  const verdict judged = judge(found.threads, found.all);
  const double cpu_s =
      static_cast<double>(sum(found, &thread_account::cpu_ns)) / static_cast<double>(second_ns);
  json kinds = json::object();
  for (const auto& [kind, times] : found.all.errors.kinds()) kinds[kind] = times;
  json document = {
      {"event", "done"},
      {"schema", "stallscope.load/1"},
      {"rate_asked", asked.when.rate_per_s ? json(*asked.when.rate_per_s) : json(nullptr)},
      {"rate_achieved", rate_achieved(found)},
      {"requests", found.all.requests},
      {"errors", found.all.errors.total()},
      {"errors_by_kind", kinds},
      {"nil_replies", found.all.nil},
      {"measured_s", measured_s(found)},
      {"latency_us", percentiles(found.all.intended)},
      {"service_us", percentiles(found.all.service)},
      {"send_lag_us", percentiles(found.all.lag)},
      {"own_lag_us", percentiles(found.all.own_lag)},
      {"limited_by_loader", judged.limited_by_loader},
      {"why", judged.why},
      {"cpu_s", cpu_s},
      {"interrupted", found.interrupted},
      {"warnings", warnings_of(asked, found)}};
  add_check(document, asked, found);
  return document;
}

json options_of(const options& asked) {
  const auto& what = asked.what;
  return {{"target", asked.target},
          {"connections", asked.connections},
          {"threads", asked.threads},
          {"pipeline", asked.when.pipeline},
          {"mode", asked.when.rate_per_s ? "open" : "closed"},
          {"arrivals", asked.when.arrivals == arrival_process::poisson ? "poisson" : "fixed"},
          {"think_us", static_cast<double>(asked.when.think_ns) / ns_per_us},
          {"duration_s", static_cast<double>(asked.when.duration_ns) / second_ns},
          {"warmup_s", static_cast<double>(asked.when.warmup_ns) / second_ns},
          {"requests", asked.when.most_requests},
          {"seed", asked.when.seed},
          {"spin_us", static_cast<double>(asked.spin_ns) / ns_per_us},
          {"cpus", asked.cpus},
          {"keys", what.keys},
          {"zipf", what.zipf ? json(*what.zipf) : json(nullptr)},
          {"value_bytes", {what.least_value_bytes, what.most_value_bytes}},
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

std::chrono::nanoseconds outcome::measured() const {
  std::uint64_t longest = 0;
  for (const auto& thread : threads) longest = std::max(longest, thread.measured_ns);
  return std::chrono::nanoseconds(longest);
}

std::string started_line(const options& asked) {
  return text_of({{"event", "started"},
                  {"schema", "stallscope.load/1"},
                  {"version", STALLSCOPE_VERSION},
                  {"pid", ::getpid()},
                  {"connections", asked.connections}});
}

std::string second_line(double at_s, const measurements& values) {
  return text_of({{"event", "second"},
                  {"t", at_s},
                  {"requests", values.requests},
                  {"errors", values.errors.total()},
                  {"p50_us", us_at(values.intended, 50)},
                  {"p99_us", us_at(values.intended, 99)}});
}

std::string done_line(const options& asked, const outcome& found) {
  return text_of(done_of(asked, found));
}

std::string load_document(const options& asked, const outcome& found, double started_at_s) {
  json document = done_of(asked, found);
  document.erase("event");
  document["version"] = STALLSCOPE_VERSION;
  document["started_at_s"] = started_at_s;
  document["options"] = options_of(asked);
  document["threads"] = json::array();
  for (const auto& thread : found.threads) document["threads"].push_back(account_of(thread));
  return text_of(document, 1) + "\n";
}

std::string target_failure(const outcome& found) {
  check_counts check;
  for (const auto& thread : found.threads) check.add(thread.check);
  if (check.wrong() != 0) {
    return "of " + std::to_string(check.sent) + " numbered requests " + std::to_string(check.lost) +
           " replies were lost, " + std::to_string(check.doubled) + " doubled, " +
           std::to_string(check.reordered) + " out of order and " + std::to_string(check.foreign) +
           " not this connection's";
  }
  if (std::ranges::any_of(found.threads, [](const auto& thread) { return thread.target_lost; })) {
    return "it closed all connections and takes no new ones";
  }
  if (found.all.requests == 0 && found.all.errors.total() != 0) {
    return "it answered no request without an error (" + std::to_string(found.all.errors.total()) +
           " " + found.all.errors.kinds().begin()->first + " ...)";
  }
  return "";
}

}  // namespace stallscope::load
