#include <doctest/doctest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/eventfd.hpp"
#include "reactor/bounded_queue.hpp"
#include "reactor/reactor.hpp"

namespace {

using namespace std::chrono_literals;
using stallscope::reactor::reactor;

// The hand-driven clock of these tests.
std::chrono::nanoseconds present{};
std::chrono::nanoseconds read_present() { return present; }

constexpr stallscope::reactor::reactor_settings by_hand{.task_quota = 500us, .clock = read_present};

class named_task final : public stallscope::reactor::task {
 public:
  explicit named_task(std::function<void()> body) : body_(std::move(body)) {}
  void run() override { body_(); }

 private:
  std::function<void()> body_;
};

class named_timer final : public stallscope::reactor::timer {
 public:
  explicit named_timer(std::function<void()> body) : body_(std::move(body)) {}
  void fire() override { body_(); }

 private:
  std::function<void()> body_;
};

class named_handler final : public stallscope::reactor::event_handler {
 public:
  explicit named_handler(std::function<void()> body) : body_(std::move(body)) {}
  void on_events(std::uint32_t) override { body_(); }

 private:
  std::function<void()> body_;
};

}  // namespace

TEST_CASE(
    "tasks run in their order, including those scheduled during the turn, then the turn ends") {
  reactor loop(by_hand);
  std::string order;
  named_task third([&] { order += "c"; });
  named_task first([&] {
    order += "a";
    loop.schedule(third);
  });
  named_task second([&] { order += "b"; });
  named_task turn_end([&] { order += "."; });
  loop.at_turn_end(turn_end);
  loop.schedule(first);
  loop.schedule(second);
  loop.turn(0ns);
  CHECK(order == "abc.");
  loop.turn(0ns);
  CHECK(order == "abc..");
}

TEST_CASE("the handler of the last descriptor of a turn sees no pending work") {
  reactor loop(by_hand);
  const std::array<stallscope::wake_event, 3> events;
  std::string seen;
  named_task work([&] { seen += loop.has_no_pending_work() ? "T" : "t"; });
  named_handler heard([&] { seen += loop.has_no_pending_work() ? "E" : "e"; });
  for (const auto& event : events) {
    loop.watch(event.fd(), EPOLLIN, heard);
    event.signal();
  }
  loop.turn(0ns);
  CHECK(seen == "eeE");
  seen.clear();
  loop.schedule(work);
  loop.schedule(work);
  loop.turn(0ns);
  CHECK(seen == "eeetT");
}

TEST_CASE("more tasks than the queue's first ring keep their order") {
  stallscope::reactor::task_queue queue;
  std::vector<std::unique_ptr<named_task>> tasks;
  for (int i = 0; i < 300; ++i) {
    tasks.push_back(std::make_unique<named_task>([] {}));
    queue.push(*tasks.back());
    if (i == 10) CHECK(&queue.pop() == tasks[0].get());
  }
  for (std::size_t i = 1; i < 300; ++i) CHECK(&queue.pop() == tasks[i].get());
  CHECK(queue.empty());
}

TEST_CASE(
    "a task is preempted when its quota is used, and the loop then looks at its descriptors") {
  reactor loop(by_hand);
  std::string order;
  const stallscope::wake_event event;
  named_handler heard([&] {
    order += "e";
    event.clear();
  });
  loop.watch(event.fd(), EPOLLIN, heard);
  named_task after([&] { order += "z"; });
  int calls = 0;
  named_task slow([&] {
    do {
      ++calls;
      present += 100us;
    } while (!loop.need_preempt());
    order += "p";
    event.signal();
  });
  loop.schedule(slow);
  loop.schedule(after);
  loop.turn(0ns);
  CHECK(order == "p");
  CHECK(calls == 5);
  loop.turn(0ns);
  CHECK(order == "pez");
}

TEST_CASE("many short calls are preempted within an eighth of the quota") {
  reactor loop(by_hand);
  std::chrono::nanoseconds ran{};
  named_task busy([&] {
    const auto start = present;
    do present += 200ns;
    while (!loop.need_preempt());
    ran = present - start;
  });
  loop.schedule(busy);
  loop.turn(0ns);
  CHECK(ran >= 500us);
  CHECK(ran <= 563us);
}

TEST_CASE("run_tasks_soon() runs tasks before the remaining descriptors") {
  reactor loop(by_hand);
  std::string order;
  named_task work([&] { order += "t"; });
  const stallscope::wake_event first;
  const stallscope::wake_event other;
  bool soon = false;
  named_handler heard([&] {
    order += "e";
    loop.schedule(work);
    if (soon) loop.run_tasks_soon();
  });
  loop.watch(first.fd(), EPOLLIN, heard);
  loop.watch(other.fd(), EPOLLIN, heard);
  first.signal();
  other.signal();
  loop.turn(0ns);
  CHECK(order == "eett");
  soon = true;
  order.clear();
  loop.turn(0ns);
  CHECK(order == "etet");
}

TEST_CASE("timers fire once, in time order, and may arm and disarm others") {
  reactor loop(by_hand);
  std::string order;
  named_timer late([&] { order += "l"; });
  named_timer never([&] { order += "n"; });
  named_timer again([&] { order += "r"; });
  named_timer early([&] {
    order += "e";
    loop.disarm(never);
    loop.arm(again, loop.now());
  });
  loop.arm(late, present + 2ms);
  loop.arm(never, present + 2ms);
  loop.arm(early, present + 1ms);
  loop.turn(0ns);
  CHECK(order.empty());
  present += 2ms;
  loop.turn(1h);
  CHECK(order == "el");
  loop.turn(1h);
  CHECK(order == "elr");
  loop.turn(0ns);
  CHECK(order == "elr");
}

TEST_CASE("an unwatched handler does not receive events that were already fetched") {
  reactor loop(by_hand);
  const stallscope::wake_event first;
  const stallscope::wake_event other;
  int heard = 0;
  std::array<std::unique_ptr<named_handler>, 2> handlers;
  const auto forget_other = [&](std::size_t of, const stallscope::wake_event& event) {
    ++heard;
    loop.unwatch(event.fd(), *handlers[1 - of]);
  };
  handlers[0] = std::make_unique<named_handler>([&] { forget_other(0, other); });
  handlers[1] = std::make_unique<named_handler>([&] { forget_other(1, first); });
  loop.watch(first.fd(), EPOLLIN, *handlers[0]);
  loop.watch(other.fd(), EPOLLIN, *handlers[1]);
  first.signal();
  other.signal();
  loop.turn(0ns);
  CHECK(heard == 1);
}

TEST_CASE("an exception of a task leaves run(), and the loop can continue") {
  reactor loop(by_hand);
  named_task throws([] { throw std::runtime_error("broken"); });
  named_task stops([&] { loop.stop(); });
  loop.schedule(throws);
  CHECK_THROWS_WITH(loop.run(), "broken");
  loop.schedule(stops);
  loop.run();
}

TEST_CASE("a bounded queue rejects excess items and keeps their order between threads") {
  stallscope::reactor::bounded_queue<int, 4> queue;
  int got = 0;
  CHECK(!queue.pop(got));
  for (int i = 0; i < 4; ++i) CHECK(queue.push(i));
  CHECK(!queue.push(4));
  CHECK(queue.pop(got));
  CHECK(got == 0);
  CHECK(queue.push(4));
  for (int i = 1; i < 5; ++i) {
    CHECK(queue.pop(got));
    CHECK(got == i);
  }
  constexpr int many = 20'000;
  std::jthread pusher([&] {
    for (int i = 0; i < many;) {
      if (queue.push(i)) {
        ++i;
      } else {
        std::this_thread::yield();
      }
    }
  });
  bool in_order = true;
  for (int expected = 0; expected < many;) {
    if (!queue.pop(got)) {
      std::this_thread::yield();
      continue;
    }
    in_order = in_order && got == expected++;
  }
  CHECK(in_order);
}

TEST_CASE("an eventfd write in one thread wakes a loop that sleeps in another") {
  reactor loop;
  const stallscope::wake_event event;
  named_handler heard([&] {
    event.clear();
    loop.stop();
  });
  loop.watch(event.fd(), EPOLLIN, heard);
  const std::jthread ringer([&] { event.signal(); });
  loop.run();
}
