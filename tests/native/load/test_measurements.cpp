#include "load/measurements.hpp"

#include <doctest/doctest.h>
#include <sys/eventfd.h>

#include <thread>

#include "base/descriptor.hpp"
#include "load/loader_saturation.hpp"

using namespace stallscope::load;

namespace {

std::unique_ptr<measurements> with_requests(std::uint64_t count) {
  auto values = std::make_unique<measurements>();
  for (std::uint64_t i = 0; i < count; ++i) {
    values->record({.intended_ns = 0, .sent_ns = 5, .own_lag_ns = 2, .measured = true}, 25);
  }
  return values;
}

thread_account busy(double cpu_share, double spin_share, double delay_share) {
  thread_account account;
  account.wall_ns = second_ns;
  account.cpu_ns = static_cast<std::uint64_t>(cpu_share * second_ns);
  account.spin_ns = static_cast<std::uint64_t>(spin_share * second_ns);
  account.run_delay_ns = static_cast<std::uint64_t>(delay_share * second_ns);
  return account;
}

}  // namespace

TEST_CASE("a reply is recorded as latency, service time and send lag") {
  const auto values = with_requests(2);
  CHECK(values->requests == 2);
  CHECK(values->intended.max() == 25);
  CHECK(values->service.max() == 20);
  CHECK(values->lag.max() == 5);
  CHECK(values->own_lag.max() == 2);
}

TEST_CASE("the kind of an error is its first word, with a bounded number of kinds") {
  CHECK(error_kind("ERR unknown command 'x'") == "ERR");
  CHECK(error_kind("WRONGTYPE Operation") == "WRONGTYPE");
  CHECK(error_kind("") == "unnamed-error");
  CHECK(error_kind("<script>alert(1)</script>") == "unnamed-error");
  CHECK(error_kind(std::string(40, 'A')) == "unnamed-error");
  error_counts counts;
  for (int i = 0; i < 100; ++i) counts.add("KIND" + std::to_string(i));
  counts.add("KIND0", 5);
  counts.add("never", 0);
  CHECK(counts.total() == 105);
  CHECK(counts.kinds().size() == 33);
  CHECK(counts.kinds().at("KIND0") == 6);
  CHECK(counts.kinds().at("other") == 68);
  error_counts sum;
  sum.add(counts);
  sum.add(counts);
  CHECK(sum.total() == 210);
}

TEST_CASE("measurements arrive once, per second") {
  const stallscope::descriptor notice(eventfd(0, EFD_NONBLOCK));
  measurement_exchange exchange(notice.get());
  CHECK_FALSE(exchange.has(0));
  auto mine = exchange.swap(with_requests(3), 0);
  CHECK(mine->requests == 0);
  mine = exchange.swap(with_requests(4), 1);
  CHECK(exchange.has(1));
  CHECK_FALSE(exchange.has(2));
  measurements first;
  exchange.take(0, first);
  CHECK(first.requests == 3);
  CHECK_FALSE(exchange.account());
  exchange.finish(with_requests(5), {});
  CHECK(exchange.account());
  measurements rest;
  exchange.take(last_second, rest);
  CHECK(rest.requests == 9);
  CHECK(rest.intended.count() == 9);
  eventfd_t notices = 0;
  CHECK(eventfd_read(notice.get(), &notices) == 0);
  CHECK(notices == 3);
}

TEST_CASE("a slow reporter loses nothing") {
  const stallscope::descriptor notice(eventfd(0, EFD_NONBLOCK));
  measurement_exchange exchange(notice.get());
  std::unique_ptr<measurements> mine = with_requests(1);
  for (unsigned second = 0; second < 10; ++second) {
    mine = exchange.swap(std::move(mine), second);
    mine->add(*with_requests(1));
  }
  exchange.finish(std::move(mine), {});
  measurements all;
  exchange.take(last_second, all);
  CHECK(all.requests == 11);
}

TEST_CASE("handover works with two threads") {
  const stallscope::descriptor notice(eventfd(0, EFD_NONBLOCK));
  measurement_exchange exchange(notice.get());
  constexpr unsigned seconds = 50;
  std::thread loader([&] {
    auto mine = std::make_unique<measurements>();
    for (unsigned second = 0; second < seconds; ++second) {
      mine->record({.intended_ns = 0, .sent_ns = 0, .own_lag_ns = 0, .measured = true}, second);
      mine = exchange.swap(std::move(mine), second);
    }
    exchange.finish(std::move(mine), {});
  });
  measurements all;
  for (unsigned second = 0; !exchange.account();) {
    if (exchange.has(second)) exchange.take(second++, all);
    std::this_thread::yield();
  }
  loader.join();
  exchange.take(last_second, all);
  CHECK(all.requests == seconds);
  CHECK(all.intended.count() == seconds);
}

TEST_CASE("loader saturation follows the documented rules") {
  const auto quiet = with_requests(100);  // own lag of 2 ns in a latency of 25 ns
  measurements fine;
  fine.record({.intended_ns = 0, .sent_ns = 1, .own_lag_ns = 1, .measured = true}, 20);
  const auto limited = [](const thread_account& account, const measurements& all) {
    return check_loader_saturation(std::span(&account, 1), all).limited_by_loader;
  };
  CHECK_FALSE(limited(busy(0.89, 0, 0.04), fine));
  CHECK(limited(busy(0.91, 0, 0), fine));
  CHECK_FALSE(limited(busy(0.99, 0.5, 0), fine));  // busy-waiting does not count
  CHECK(limited(busy(0.1, 0, 0.06), fine));
  fine.record({.intended_ns = 0, .sent_ns = 9, .own_lag_ns = 9, .measured = true}, 20);
  CHECK(limited(busy(0.1, 0, 0), fine));
  CHECK_FALSE(limited(busy(0.1, 0, 0), *quiet));
  const thread_account both = busy(1, 0, 0.5);
  CHECK(check_loader_saturation(std::span(&both, 1), *quiet).why ==
        "a thread was busy 100 % of the time; a thread waited for a CPU 50.0 % of the time");
  const auto none = std::make_unique<measurements>();
  CHECK_FALSE(check_loader_saturation({}, *none).limited_by_loader);
}
