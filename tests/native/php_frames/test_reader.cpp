#include <doctest/doctest.h>
#include <unistd.h>

#include <string>

#include "fake_php.hpp"
#include "php_frames/reader.hpp"

namespace stallscope::php_frames {
namespace {

struct walked {
  managed_frames::walk_result result{};
  managed_frames::managed_stack stack;
  std::string lines;
};

walked walk(fake_php& php, pid_t tid = ::getpid()) {
  walked of;
  managed_frames::function_log log{{1, 1}, of.lines};
  reader frames{::getpid(), php_8_2, php.globals(), log};
  managed_frames::stack_sample sample;
  sample.pid = ::getpid();
  sample.tid = tid;
  of.result = frames.walk(sample, of.stack);
  return of;
}

bool names(const walked& of, std::uint64_t id, const std::string& name) {
  const auto begin = of.lines.find("{\"function\":" + std::to_string(id) + ",");
  return begin != std::string::npos &&
         of.lines.substr(begin, of.lines.find('\n', begin) - begin)
                 .find("\"name\":\"" + name + "\"") != std::string::npos;
}

TEST_CASE("each call of PHP's loop is a run, with functions and lines") {
  fake_php php;
  php.call(php.add_function("", 0, "/a.php", 1, 90), 50, true);
  php.call(php.add_function("usort", 0, "", 0, 0), 0, false);
  php.call(php.add_function("compare", php.add_class("Order"), "/a.php", 10, 20), 12, true);
  const auto of = walk(php);
  REQUIRE(of.stack.runs.size() == 2);
  REQUIRE(of.stack.runs[0].size() == 1);
  REQUIRE(of.stack.runs[1].size() == 2);
  CHECK(names(of, of.stack.runs[0][0].function, "Order::compare"));
  CHECK(of.stack.runs[0][0].line == 12);
  CHECK(names(of, of.stack.runs[1][0].function, "usort"));
  CHECK(names(of, of.stack.runs[1][1].function, "{main}"));
  CHECK(of.stack.runs[1][1].line == 50);
}

TEST_CASE("a line outside the function is not known") {
  fake_php php;
  php.call(php.add_function("f", 0, "/a.php", 10, 20), 99, true);
  const auto of = walk(php);
  REQUIRE(of.stack.runs.size() == 1);
  CHECK(of.stack.runs[0][0].line == 0);
}

TEST_CASE("a function whose name was freed has a reason, not an old name") {
  fake_php php;
  const auto function = php.add_function("f", 0, "/a.php", 10, 20);
  php.call(function, 12, true);
  std::string lines;
  managed_frames::function_log log{{1, 1}, lines};
  reader frames{::getpid(), php_8_2, php.globals(), log};
  managed_frames::stack_sample sample;
  sample.pid = sample.tid = ::getpid();
  managed_frames::managed_stack first;
  frames.walk(sample, first);
  php.put(function + php_8_2.function_name, 0x10);
  managed_frames::managed_stack second;
  frames.walk(sample, second);
  REQUIRE(second.runs.size() == 1);
  CHECK(first.runs[0][0].function != second.runs[0][0].function);
  CHECK(lines.find("function not readable") != std::string::npos);
}

TEST_CASE("a list of frames with a cycle is torn") {
  fake_php php;
  const auto frame = php.call(php.add_function("f", 0, "/a.php", 1, 2), 1, true);
  php.put(frame + php_8_2.frame_previous, frame);
  CHECK(walk(php).result == managed_frames::walk_result::torn);
}

TEST_CASE("a cycle of frames without functions is torn") {
  fake_php php;
  const auto frame = php.call(0, 1, true);
  php.put(frame + php_8_2.frame_previous, frame);
  CHECK(walk(php).result == managed_frames::walk_result::torn);
}

TEST_CASE("other threads than the main one run no PHP") {
  fake_php php;
  php.call(php.add_function("f", 0, "/a.php", 1, 2), 1, true);
  CHECK(walk(php, ::getpid() + 1).stack.runs.empty());
}

}  // namespace
}  // namespace stallscope::php_frames
