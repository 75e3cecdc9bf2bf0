#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <string>

#include "base/failure.hpp"
#include "base/stop_flag.hpp"
#include "collect/end_guard.hpp"

using namespace stallscope;
using namespace stallscope::collect;
using std::chrono::milliseconds;

namespace {

struct pipe_pair {
  pipe_pair() {
    std::array<int, 2> ends{};
    REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
    reader.reset(ends[0]);
    writer.reset(ends[1]);
  }
  descriptor reader;
  descriptor writer;
};

// Runs the function in a child process, which has the signals blocked. Returns the exit status.
int status_of_child(const std::function<void()>& run) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    block_ending_signals();
    ::alarm(30);  // a child that hangs fails the test
    run();
    ::_exit(100);
  }
  int status = 0;
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

[[noreturn]] void work_forever() {
  volatile bool forever = true;
  while (forever) {
  }
  ::_exit(101);
}

}  // namespace

TEST_CASE("a process that ignores the request to end is ended at the deadline, with a message") {
  pipe_pair messages;
  const int status = status_of_child([&] {
    const end_guard guard{-1, {messages.writer.get(), "too late\n"}, {milliseconds{20}, {}}};
    ::kill(::getpid(), SIGTERM);
    work_forever();
  });
  CHECK(status == static_cast<int>(exit_code::unable));
  std::array<char, 16> text{};
  CHECK(::read(messages.reader.get(), text.data(), text.size()) == 9);
  CHECK(std::string{text.data()} == "too late\n");
}

TEST_CASE("a second signal shortens the deadline, also one that was extended") {
  const int status = status_of_child([&] {
    end_guard guard{-1, {}, {milliseconds{60'000}, milliseconds{20}}};
    guard.extend(std::chrono::seconds{60});
    ::kill(::getpid(), SIGINT);
    while (guard.requests() == 0) {
    }
    ::kill(::getpid(), SIGINT);
    work_forever();
  });
  CHECK(status == static_cast<int>(exit_code::unable));
}

TEST_CASE("the end of the control descriptor's other side ends a busy process") {
  const int status = status_of_child([] {
    pipe_pair control;
    const end_guard guard{control.reader.get(), {}, {milliseconds{20}, {}}};
    control.writer.reset();
    work_forever();
  });
  CHECK(status == static_cast<int>(exit_code::unable));
}

TEST_CASE("a full pipe does not delay the end") {
  pipe_pair messages;
  const int status = status_of_child([&] {
    const std::string page(4096, 'x');
    ::fcntl(messages.writer.get(), F_SETFL, O_NONBLOCK);
    while (::write(messages.writer.get(), page.data(), page.size()) > 0) {
    }
    ::fcntl(messages.writer.get(), F_SETFL, 0);
    const end_guard guard{-1, {messages.writer.get(), "too late\n"}, {milliseconds{20}, {}}};
    ::kill(::getpid(), SIGTERM);
    work_forever();
  });
  CHECK(status == static_cast<int>(exit_code::unable));
}

TEST_CASE("a signal sets the stop flag and wakes the poll, and the process may end by itself") {
  const int status = status_of_child([&] {
    const end_guard guard{-1, {}};
    if (stop_requested() || guard.requests() != 0) ::_exit(1);
    ::kill(::getpid(), SIGTERM);
    pollfd woken{guard.fd(), POLLIN, 0};
    if (::poll(&woken, 1, 20'000) != 1) ::_exit(2);
    guard.clear();
    ::_exit(stop_requested() && guard.requests() == 1 && ::poll(&woken, 1, 0) == 0 ? 0 : 3);
  });
  CHECK(status == 0);
}
