#include "launch/command.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>
#include <system_error>

#include "base/descriptor.hpp"
#include "launch/descendants.hpp"

using namespace stallscope::launch;

namespace {

// A stop descriptor that is readable once the other end is closed.
struct stop_pipe {
  stop_pipe() {
    std::array<int, 2> ends{};
    REQUIRE(::pipe(ends.data()) == 0);
    read.reset(ends[0]);
    write.reset(ends[1]);
  }
  stallscope::descriptor read;
  stallscope::descriptor write;
};

command shell(const std::string& script) {
  command started;
  started.arguments = {"/bin/sh", "-c", script};
  started.environment = {"PATH=/usr/bin:/bin", "COLOUR=green"};
  return started;
}

}  // namespace

TEST_CASE("a run has a status, a time, and its resource usage") {
  const stop_pipe stop;
  const completed_run run = run_command(shell("exit 7"), stop.read.get());
  CHECK(WIFEXITED(run.status));
  CHECK(WEXITSTATUS(run.status) == 7);
  CHECK(run.wall_ns > 0);
  CHECK(run.usage.ru_maxrss > 0);
  CHECK(run.output.empty());
}

TEST_CASE("output is kept up to the limit, and the command does not wait for a reader") {
  const stop_pipe stop;
  command started = shell("echo $COLOUR; head -c 1000000 /dev/zero");
  started.output_limit = 1000;
  const completed_run run = run_command(started, stop.read.get());
  CHECK(run.output.size() == 1000);
  CHECK(run.output.starts_with("green\n"));
  CHECK(run.output_cut);
}

TEST_CASE("the directory is that of the request") {
  const stop_pipe stop;
  command started = shell("pwd");
  started.output_limit = 100;
  started.directory = "/usr";
  CHECK(run_command(started, stop.read.get()).output == "/usr\n");
}

TEST_CASE("a command that does not exist is an error with its number") {
  const stop_pipe stop;
  command started;
  started.arguments = {"/no/such/program"};
  CHECK_THROWS_AS(run_command(started, stop.read.get()), std::system_error);
}

TEST_CASE("a time limit ends the command and its children, also those in another session") {
  adopt_descendants();
  const stop_pipe stop;
  command started = shell("setsid sleep 100 & sleep 100 & sleep 100");
  started.time_limit = std::chrono::milliseconds(100);
  const completed_run run = run_command(started, stop.read.get());
  CHECK(run.timed_out);
  CHECK(WIFSIGNALED(run.status));
  CHECK(run.leftovers >= 2);
  CHECK_FALSE(has_descendants());
}

TEST_CASE("processes that a command leaves behind are ended and counted") {
  adopt_descendants();
  const stop_pipe stop;
  const completed_run run = run_command(shell("sleep 100 & exit 0"), stop.read.get());
  CHECK(run.leftovers == 1);
  CHECK_FALSE(has_descendants());
}

TEST_CASE("a server runs until the stop, also one that daemonizes") {
  adopt_descendants();
  for (const char* script : {"sleep 100", "setsid sleep 100 & exit 0"}) {
    stop_pipe stop;
    stop.write.reset();
    command started = shell(script);
    started.is_server = true;
    started.grace = std::chrono::seconds(1);
    const completed_run run = run_command(started, stop.read.get());
    CHECK(run.stopped);
    CHECK_FALSE(has_descendants());
  }
}

TEST_CASE("the output of a server that daemonizes is read, so it does not wait for a reader") {
  adopt_descendants();
  const stop_pipe stop;
  command started = shell("head -c 1000000 /dev/zero & exit 0");
  started.is_server = true;
  started.output_limit = 1000;
  const completed_run run = run_command(started, stop.read.get());
  CHECK_FALSE(run.stopped);
  CHECK(run.output_cut);
}

TEST_CASE("a command may print more than a pipe holds as it ends") {
  adopt_descendants();
  const stop_pipe stop;  // the command inherits it, and stops itself once its trap is set
  command started = shell("trap 'head -c 1000000 /dev/zero; exit 5' TERM; echo >&" +
                          std::to_string(stop.write.get()) + "; while :; do sleep 0.01; done");
  started.output_limit = 1000;
  started.grace = std::chrono::seconds(10);
  const completed_run run = run_command(started, stop.read.get());
  CHECK(run.stopped);
  CHECK(WIFEXITED(run.status));
  CHECK(WEXITSTATUS(run.status) == 5);
}

TEST_CASE("ended orphans are reaped, and the child that is waited for is not") {
  adopt_descendants();
  const pid_t waited_for = ::fork();
  if (waited_for == 0) ::_exit(3);
  const pid_t orphan = ::fork();
  if (orphan == 0) ::_exit(0);
  siginfo_t ended{};
  REQUIRE(::waitid(P_PID, static_cast<id_t>(orphan), &ended, WEXITED | WNOWAIT) == 0);
  reap_orphans(waited_for);
  int status = 0;
  CHECK(::waitpid(waited_for, &status, 0) == waited_for);
  CHECK(WEXITSTATUS(status) == 3);
  while (::waitpid(orphan, nullptr, 0) > 0) {
  }
}
