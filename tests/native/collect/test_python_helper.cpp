#include "collect/python_helper.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <thread>

#include "base/clock.hpp"
#include "collect/scratch.hpp"

namespace stallscope::collect {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t hour_ns = 3'600'000'000'000;
constexpr std::uint64_t longest_wait_ns = 20'000'000'000;

// A directory like /proc, in which the mappings of some processes cannot be read: an open of a FIFO
// without a writer does not return.
void add_blocking_process(const std::filesystem::path& proc, pid_t pid, unsigned user) {
  const auto folder = proc / std::to_string(pid);
  std::filesystem::create_directories(folder);
  REQUIRE(::mkfifo((folder / "maps").c_str(), 0600) == 0);
  std::FILE* status = std::fopen((folder / "status").c_str(), "w");
  REQUIRE(status != nullptr);
  std::fprintf(status, "Name:\tx\nUid:\t%u\t%u\t%u\t%u\n", user, user, user, user);
  std::fclose(status);
}

// Passes a sample of the process, until its helper was replaced or time is up.
bool blocks(python_helper& helper, const python_helper_context& context, pid_t pid) {
  const auto replaced = context.replaced;
  const auto end_ns = monotonic_ns() + longest_wait_ns;
  while (context.replaced == replaced && monotonic_ns() < end_ns) {
    helper.note({pid, pid, monotonic_ns()});
    helper.wake();
    std::this_thread::sleep_for(5ms);
    helper.supervise(monotonic_ns() + hour_ns);
  }
  return context.replaced > replaced;
}

std::string finished(python_helper& helper) {
  std::string text;
  helper.request_stop();
  helper.finish(std::chrono::steady_clock::now() + 2s, text);
  return text;
}

}  // namespace

TEST_CASE("a process that blocks a helper is left out, and another helper goes on") {
  const test::scratch scratch;
  add_blocking_process(scratch.at(""), 11, 1000);
  python_helper_context context{procfs{scratch.at("")}};
  python_helper helper{context, 0, -1};
  REQUIRE(blocks(helper, context, 11));
  REQUIRE(context.warnings.size() == 1);
  CHECK(context.warnings[0].code == "python-process-left-out");
  CHECK(context.warnings[0].message.find("process 11 ") != std::string::npos);
  CHECK(context.exclusions.contains(11));
  helper.note({11, 11, monotonic_ns()});
  helper.wake();
  std::this_thread::sleep_for(20ms);
  helper.supervise(monotonic_ns() + hour_ns);
  CHECK(context.replaced == 1);
  CHECK(finished(helper).empty());
  CHECK(context.warnings.size() == 1);
}

TEST_CASE("a user whose processes block helpers is left out as a whole") {
  const test::scratch scratch;
  for (pid_t pid = 11; pid < 16; ++pid) add_blocking_process(scratch.at(""), pid, 1000);
  add_blocking_process(scratch.at(""), 20, 1001);
  python_helper_context context{procfs{scratch.at("")}};
  python_helper helper{context, 0, -1};
  for (pid_t pid = 11; pid < 14; ++pid) CHECK(blocks(helper, context, pid));
  CHECK(context.exclusions.contains(15));
  CHECK_FALSE(context.exclusions.contains(20));
  context.exclusions.forget(11);
  CHECK(context.exclusions.contains(11));  // by its user
  finished(helper);
}

TEST_CASE("the end of a recording does not wait for a blocked helper") {
  const test::scratch scratch;
  add_blocking_process(scratch.at(""), 11, 1000);
  python_helper_context context{procfs{scratch.at("")}};
  python_helper helper{context, 0, -1};
  helper.note({11, 11, monotonic_ns()});
  helper.wake();
  helper.request_stop();
  std::string text;
  helper.finish(std::chrono::steady_clock::now(), text);
  CHECK(context.warnings.empty());  // the helper was killed
}

}  // namespace stallscope::collect
