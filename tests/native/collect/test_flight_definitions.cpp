// Which definitions of the lines of a flight remain when they need too much memory.
#include <doctest/doctest.h>

#include <string>

#include "collect/flight_definitions.hpp"
#include "collect/flight_lines.hpp"

using namespace stallscope::collect;

namespace {

std::string code_line(int number) {
  return "{\"code\":" + std::to_string(number) + ",\"pid\":2,\"name\":\"f\"}\n";
}

std::string stack_line(int number, int code) {
  return "{\"stack\":" + std::to_string(number) + ",\"frames\":[[" + std::to_string(code) +
         ",8,0]]}\n";
}

std::string use_line(int time, int stack) {
  return "{\"t\":" + std::to_string(time) +
         ",\"read_ns\":1,\"tid\":3,\"pid\":2,\"stack\":" + std::to_string(stack) +
         ",\"gil\":null}\n";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("definitions are kept in order, and lines of moments are not") {
  flight_definitions definitions{1 << 20};
  definitions.take("{\"format\":\"x\"}\n" + code_line(1) + stack_line(1, 1) + use_line(1, 1));
  definitions.take(
      "{\"type\":\"source\",\"name\":\"a\"}\n{\"at_ns\":1,\"type\":\"cgroup\"}\n"
      "{\"type\":\"thread\",\"tid\":1}\n");
  CHECK(definitions.text_with("kept\n") == "{\"format\":\"x\"}\n" + code_line(1) +
                                               stack_line(1, 1) +
                                               "{\"type\":\"source\",\"name\":\"a\"}\nkept\n");
  CHECK(definitions.dropped() == 0);
}

TEST_CASE("stacks that no line has used for the longest time are dropped with their code") {
  flight_definitions definitions{2'000};
  for (int number = 0; number < 40; ++number) {
    definitions.take(code_line(number) + stack_line(number, number));
    definitions.take(use_line(number, 0));  // the first one is used all the time
  }
  REQUIRE(definitions.exceeded());
  const auto kept = use_line(99, 1);  // used by a line that is still kept
  definitions.compact(kept);
  CHECK(definitions.size_bytes() <= 1'200);
  CHECK(definitions.dropped() > 0);
  const auto text = definitions.text_with(kept + use_line(100, 2));
  for (const int number : {0, 1, 39}) {
    CHECK(contains(text, code_line(number)));
    CHECK(contains(text, stack_line(number, number)));
  }
  CHECK_FALSE(contains(text, stack_line(2, 2)));
  CHECK_FALSE(contains(text, code_line(2)));
  CHECK(contains(text, use_line(99, 1)));
  CHECK_FALSE(contains(text, use_line(100, 2)));  // its stack is not known any more
}

TEST_CASE("the runtime of a process that is still sampled is kept, whenever it was defined") {
  for (const std::string name : {"runtime", "interpreter"}) {
    const std::string live = "{\"" + name + "\":2,\"version\":\"3\"}\n";
    const std::string ended = "{\"" + name + "\":9,\"version\":\"3\"}\n";
    flight_definitions definitions{400};
    definitions.take(live + ended);
    for (int number = 0; number < 20; ++number)
      definitions.take(code_line(number) + stack_line(number, number) + use_line(number, number));
    definitions.compact("");
    const auto text = definitions.text_with("");
    CHECK(contains(text, live));
    CHECK_FALSE(contains(text, ended));
  }
}

TEST_CASE("the stacks of managed frames are found in segments and runs") {
  flight_definitions definitions{300};
  const std::string sample =
      "{\"t\":5,\"tid\":1,\"pid\":2,\"segments\":[[1,2,3,4,5,7],[1,2,3,4,5,8]],\"runs\":[9,10]}\n";
  for (int number = 0; number < 12; ++number)
    definitions.take("{\"function\":" + std::to_string(number) + ",\"pid\":2}\n" +
                     stack_line(number, number));
  definitions.compact(sample);
  const auto text = definitions.text_with(sample);
  CHECK(contains(text, sample));
  for (const int number : {7, 8, 9, 10}) CHECK(contains(text, stack_line(number, number)));
  CHECK_FALSE(contains(text, stack_line(1, 1)));
  const std::string lost = "{\"t\":6,\"tid\":1,\"pid\":2,\"segments\":[[1,2,3,4,5,1]]}\n";
  CHECK_FALSE(contains(definitions.text_with(lost), lost));
}

TEST_CASE("the memory of definitions is bounded however many there are") {
  flight_lines lines{0, 4'000};
  for (std::uint64_t second = 1; second <= 500; ++second) {
    const auto number = static_cast<int>(second);
    const auto text = code_line(number) + stack_line(number, number) + use_line(number, number);
    const iovec piece{const_cast<char*>(text.data()), text.size()};
    lines.blocks().append({&piece, 1});
    lines.blocks().cut(second * 1'000'000'000);
    lines.drop_before(second * 1'000'000'000);
    CHECK(lines.size_bytes() <= 4'200);
  }
  CHECK(lines.dropped() > 700);
}
