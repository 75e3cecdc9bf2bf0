#include "load/report.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

using namespace stallscope::load;
using json = nlohmann::json;

namespace {

options asked() {
  options some;
  some.target = "127.0.0.1:1";
  some.when.rate_per_s = 1'000;
  return some;
}

outcome found(std::uint64_t requests) {
  outcome some;
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

TEST_CASE("the last line has what scripts rely on") {
  const json done = json::parse(done_line(asked(), found(2'000)));
  CHECK(done["event"] == "done");
  CHECK(done["schema"] == "stallscope.load/1");
  CHECK(done["rate_asked"] == 1'000.0);
  CHECK(done["rate_achieved"] == 1'000.0);
  CHECK(done["requests"] == 2'000);
  for (const char* name : {"latency_us", "service_us", "send_lag_us"}) {
    for (const char* percentile : {"p50", "p90", "p99", "p99.9", "max"}) {
      CHECK(done[name][percentile].is_number());
    }
  }
  CHECK(done["latency_us"]["p50"].get<double>() == doctest::Approx(300).epsilon(0.001));
  CHECK(done["service_us"]["p50"].get<double>() == doctest::Approx(200).epsilon(0.001));
  CHECK(done["cpu_s"] == 0.5);
  CHECK(done["lost"].is_null());
  CHECK(done["warnings"].empty());
}

TEST_CASE("what was not measured is null, and says why") {
  outcome none = found(0);
  none.threads[0].measured_ns = 0;
  none.threads[0].run_delay_ns.reset();
  const json done = json::parse(done_line(asked(), none));
  CHECK(done["rate_achieved"].is_null());
  CHECK(done["latency_us"]["p99"].is_null());
  REQUIRE(done["warnings"].size() == 1);
  CHECK(done["warnings"][0].get<std::string>().find("schedstat") != std::string::npos);
  options closed = asked();
  closed.when.rate_per_s.reset();
  CHECK(json::parse(done_line(closed, none))["rate_asked"].is_null());
}

TEST_CASE("a rate that was missed and requests without a reply are told") {
  outcome some = found(1'900);
  some.threads[0].unanswered = 3;
  some.threads[0].unsent = 97;
  some.threads[0].connections_lost = 1;
  const json warnings = json::parse(done_line(asked(), some))["warnings"];
  REQUIRE(warnings.size() == 3);
  CHECK(warnings[0].get<std::string>().starts_with("fewer requests"));
  CHECK(warnings[1].get<std::string>().starts_with("3 requests had no reply"));
  CHECK(warnings[2] == "the target closed 1 connections");
}

TEST_CASE("the file has what was asked, the line does not") {
  const json document = json::parse(load_document(asked(), found(1), 12.5));
  CHECK(document["started_at_s"] == 12.5);
  CHECK(document["options"]["mode"] == "open");
  CHECK(document["threads"][0]["cpu_s"] == 0.5);
  CHECK_FALSE(document.contains("event"));
  CHECK_FALSE(json::parse(done_line(asked(), found(1))).contains("options"));
}

TEST_CASE("a target fails where it mixes replies up, goes away or knows errors only") {
  CHECK(target_failure(found(1)).empty());
  outcome mixed = found(1);
  mixed.threads[0].check = {.sent = 10, .in_order = 9, .lost = 1};
  CHECK(target_failure(mixed).find("1 replies were lost") != std::string::npos);
  options checking = asked();
  checking.what.check = true;
  CHECK(json::parse(done_line(checking, mixed))["lost"] == 1);
  outcome gone = found(1);
  gone.threads[0].target_lost = true;
  CHECK_FALSE(target_failure(gone).empty());
  outcome refused = found(0);
  refused.all.errors.add("NOAUTH", 7);
  CHECK(target_failure(refused).find("7 NOAUTH") != std::string::npos);
}
