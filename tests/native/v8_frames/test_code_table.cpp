#include <doctest/doctest.h>
#include <unistd.h>

#include <array>
#include <string>

#include "base/clock.hpp"
#include "fake_heap.hpp"
#include "v8_frames/code_table.hpp"

namespace stallscope::v8_frames {
namespace {

constexpr std::uint32_t turbofan = 13;

// A fake heap with the tables that read it.
struct read_heap {
  fake_heap fake;
  layout fields = fake_heap::fields();
  heap objects{process_reading::process_memory{::getpid()}, fields};
  std::string lines;
  managed_frames::function_log log{{1, 1}, lines};
  function_table functions{objects, fields, log, 7};
  code_table codes{objects, fields, functions};
};

}  // namespace

TEST_CASE("strings of several parts are read whole") {
  read_heap heap;
  const auto text =
      heap.fake.add_cons(heap.fake.add_string("function"), heap.fake.add_string("Name"), 12);
  CHECK(heap.objects.text(text, 100) == U"functionName");
  CHECK(heap.objects.text(text, 3) == U"fun");
}

TEST_CASE("a string that contains itself ends") {
  read_heap heap;
  const auto text = heap.fake.add_cons(0, 0, 8);
  heap.fake.set(text, 16, text);
  heap.fake.set(text, 24, text);
  CHECK_FALSE(heap.objects.text(text, 100));
}

TEST_CASE("a function has its name and its script") {
  read_heap heap;
  const auto script = heap.fake.add_script("/a.js", "one\ntwo\nthree");
  const auto shared = heap.fake.add_shared_info(heap.fake.add_string("fib"), script);
  const auto function = heap.functions.of_function(heap.fake.add_function(shared));
  REQUIRE(function);
  REQUIRE(function->script != nullptr);
  CHECK(function->script->line_at(3) == 1);
  CHECK(function->script->line_at(4) == 2);
  heap.functions.id_of(*function, code_kind::interpreted);
  CHECK(heap.lines.find("\"name\":\"fib\",\"file\":\"/a.js\"") != std::string::npos);
  CHECK(heap.functions.of_function(heap.fake.add_function(shared)) == function);
}

TEST_CASE("another object in the place of a function has no name") {
  read_heap heap;
  CHECK_FALSE(heap.functions.of_function(heap.fake.add_string("text")));
  CHECK_FALSE(heap.functions.of_shared_info(heap.fake.add_string("text")));
}

TEST_CASE("a shared info whose name changed is another function") {
  read_heap heap;
  const auto script = heap.fake.add_script("/a.js", "");
  const auto shared = heap.fake.add_shared_info(heap.fake.add_string("before"), script);
  const auto before = heap.functions.of_shared_info(shared);
  heap.fake.set(shared, 16, heap.fake.add_string("after"));
  CHECK(heap.functions.of_shared_info(shared) != before);
}

TEST_CASE("code is searched backwards and has its function") {
  read_heap heap;
  const auto script = heap.fake.add_script("/a.js", "");
  const auto shared = heap.fake.add_shared_info(heap.fake.add_string("hot"), script);
  const std::array<std::uint64_t, 8> items{0, fake_heap::smi(0), 0, 0, 0, 0, shared, 0};
  const auto start =
      heap.fake.add_code(turbofan, heap.fake.add_array(items), heap.fake.add_bytes({}));
  const auto* code = heap.codes.at(start + 40);
  REQUIRE(code != nullptr);
  CHECK(code->start == start);
  CHECK(code->kind == code_kind::turbofan);
  CHECK(code->function == heap.functions.of_shared_info(shared));
  CHECK(heap.codes.at(start + 64) == nullptr);
}

TEST_CASE("code that moved away is not found by its old address") {
  read_heap heap;
  const auto start = heap.fake.add_code(turbofan, 0, 0);
  REQUIRE(heap.codes.at(start) != nullptr);
  const std::array pcs{start};
  heap.codes.check_again(pcs, monotonic_ns());
  CHECK(heap.codes.at(start) != nullptr);
  heap.fake.set(start - 16 + 1, 0, 0);
  heap.codes.check_again(pcs, monotonic_ns());
  CHECK(heap.codes.at(start) == nullptr);
}

TEST_CASE("a check serves the samples before it") {
  read_heap heap;
  const auto start = heap.fake.add_code(turbofan, 0, 0);
  REQUIRE(heap.codes.at(start) != nullptr);
  const std::array pcs{start};
  const auto sample_ns = monotonic_ns();
  heap.codes.check_again(pcs, sample_ns);
  heap.fake.set(start - 16 + 1, 0, 0);
  heap.codes.check_again(pcs, sample_ns);
  CHECK(heap.codes.at(start) != nullptr);
  const auto shared = heap.fake.add_shared_info(heap.fake.add_string("first"), 0);
  const auto function = heap.fake.add_function(shared);
  heap.functions.begin_sample(sample_ns);
  REQUIRE(heap.functions.of_function(function));
  heap.fake.set(function, 0, 0);
  CHECK(heap.functions.of_function(function));
  heap.functions.begin_sample(monotonic_ns());
  CHECK_FALSE(heap.functions.of_function(function));
}

TEST_CASE("functions with equal name and place are equal") {
  read_heap heap;
  const auto name = heap.fake.add_string("moved");
  const auto before = heap.functions.of_shared_info(heap.fake.add_shared_info(name, 0));
  const auto after = heap.functions.of_shared_info(heap.fake.add_shared_info(name, 0));
  const auto other =
      heap.functions.of_shared_info(heap.fake.add_shared_info(heap.fake.add_string("other"), 0));
  REQUIRE((before && after && other));
  CHECK(before != after);
  CHECK(heap.functions.equal(*before, *after));
  CHECK_FALSE(heap.functions.equal(*before, *other));
}

}  // namespace stallscope::v8_frames
