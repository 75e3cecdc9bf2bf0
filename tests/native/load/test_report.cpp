#include "load/report.hpp"

#include <doctest/doctest.h>

#include "base/json.hpp"

using stallscope::json;
using namespace stallscope::load;
namespace {

options default_options() {
  options some;
  some.target = "127.0.0.1:1";
  some.when.rate_per_s = 1'000;
  return some;
}

load_result result_of(std::uint64_t requests) {
  load_result some;
  for (std::uint64_t i = 0; i < requests; ++i) {
    some.all.record({.intended_ns = 0, .sent_ns = 100'000, .own_lag_ns = 0, .measured = true},
                    300'000);
  }
  some.all.answered = requests;
  thread_account account;
  account.measured_ns = 2 * second_ns;
  account.wall_ns = 2 * second_ns;
  account.cpu_ns = second_ns / 2;
  account.run_delay_ns = 0;
  some.threads = {account};
  return some;
}

}  // namespace

TEST_CASE("the last line has the documented fields") {
  const json done = json::parse(done_line(default_options(), result_of(2'000)));
  CHECK(done["event"] == "done");
  CHECK(done["schema"] == "stallscope.load/1");
  CHECK(done["rate_requested"] == 1'000.0);
  CHECK(done["rate_achieved"] == 1'000.0);
  CHECK(done["requests"] == 2'000);
  for (const char* name : {"latency_us", "service_us", "send_lag_us"}) {
    for (const char* percentile : {"mean", "p50", "p90", "p95", "p99", "p99.9", "max"}) {
      CHECK(done[name][percentile].is_number());
    }
  }
  CHECK(done["latency_us"]["p50"].get<double>() == doctest::Approx(300).epsilon(0.001));
  CHECK(done["service_us"]["p50"].get<double>() == doctest::Approx(200).epsilon(0.001));
  CHECK(done["cpu_s"] == 0.5);
  CHECK(done["lost"].is_null());
  CHECK(done["warnings"].empty());
}

TEST_CASE("the mean and p95 are those of all requests") {
  load_result some = result_of(95);
  for (int i = 0; i < 5; ++i) {
    some.all.record({.intended_ns = 0, .sent_ns = 0, .own_lag_ns = 0, .measured = true}, 2'300'000);
  }
  const json latency = json::parse(done_line(default_options(), some))["latency_us"];
  CHECK(latency["mean"].get<double>() == doctest::Approx(400).epsilon(0.001));
  CHECK(latency["p95"].get<double>() == doctest::Approx(300).epsilon(0.001));
  CHECK(latency["max"].get<double>() == doctest::Approx(2'300).epsilon(0.001));
}

TEST_CASE("replies that arrive together are one burst") {
  load_result some = result_of(0);
  CHECK(json::parse(done_line(default_options(), some))["replies_per_burst"].is_null());
  std::uint64_t last = 0;
  for (std::uint64_t batch = 1; batch <= 10; ++batch) {
    for (std::uint64_t i = 0; i < 8; ++i) {
      const std::uint64_t now = batch * 1'000'000 + i * 10'000;
      some.all.reply_bursts.add(last, now);
      last = now;
    }
  }
  measurements more;
  more.add(some.all);
  CHECK(more.reply_bursts.bursts == 10);
  some.threads[0].connections_open = 64;
  const json done = json::parse(done_line(default_options(), some));
  CHECK(done["replies_per_burst"] == 8.0);
  CHECK(done["connections_achieved"] == 64);
  more.reset();
  CHECK(more.reply_bursts.events == 0);
}

TEST_CASE("unmeasured values are null, with a warning") {
  load_result none = result_of(0);
  none.threads[0].measured_ns = 0;
  none.threads[0].run_delay_ns.reset();
  const json done = json::parse(done_line(default_options(), none));
  CHECK(done["rate_achieved"].is_null());
  CHECK(done["latency_us"]["p99"].is_null());
  REQUIRE(done["warnings"].size() == 1);
  CHECK(done["warnings"][0].get<std::string>().find("schedstat") != std::string::npos);
  options closed = default_options();
  closed.when.rate_per_s.reset();
  CHECK(json::parse(done_line(closed, none))["rate_requested"].is_null());
}

TEST_CASE("a missed rate and unanswered requests cause warnings") {
  load_result some = result_of(1'900);
  some.threads[0].unanswered = 3;
  some.threads[0].unsent = 97;
  some.threads[0].connections_lost = 1;
  const json warnings = json::parse(done_line(default_options(), some))["warnings"];
  REQUIRE(warnings.size() == 3);
  CHECK(warnings[0].get<std::string>().starts_with("the achieved rate"));
  CHECK(warnings[1].get<std::string>().starts_with("3 requests had no reply"));
  CHECK(warnings[2] == "the target closed 1 connections");
}

TEST_CASE("the file contains the options, the line does not") {
  const json document = json::parse(load_document(default_options(), result_of(1), 12.5));
  CHECK(document["started_at_s"] == 12.5);
  CHECK(document["options"]["mode"] == "open");
  CHECK(document["threads"][0]["cpu_s"] == 0.5);
  CHECK_FALSE(document.contains("event"));
  CHECK_FALSE(json::parse(done_line(default_options(), result_of(1))).contains("options"));
}

TEST_CASE("a target fails if it mixes up replies, closes or returns only errors") {
  CHECK(target_failure(result_of(1)).empty());
  load_result mixed = result_of(1);
  mixed.threads[0].check = {.sent = 10, .in_order = 9, .lost = 1};
  CHECK(target_failure(mixed).find("1 replies were lost") != std::string::npos);
  options checking = default_options();
  checking.what.check = true;
  CHECK(json::parse(done_line(checking, mixed))["lost"] == 1);
  load_result lost = result_of(1);
  lost.threads[0].target_lost = true;
  CHECK_FALSE(target_failure(lost).empty());
  load_result refused = result_of(0);
  refused.all.errors.add("NOAUTH", 7);
  CHECK(target_failure(refused).find("7 NOAUTH") != std::string::npos);
}
