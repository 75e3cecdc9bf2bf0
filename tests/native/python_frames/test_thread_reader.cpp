#include "python_frames/thread_reader.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <map>
#include <memory>
#include <string>

#include "fake_interpreter.hpp"

namespace stallscope::python_frames {
namespace {

struct reading_result {
  read_result result = read_result::torn;
  std::vector<std::string> names;  // leaf first, those entered from C marked
  std::optional<bool> holds_gil;
};

class fake_reader {
 public:
  explicit fake_reader(const fake_interpreter& of)
      : reader_{::getpid(), of.description(), std::make_shared<process_reading::numbering>(1, 1)} {}

  reading_result read(pid_t id = fake_interpreter::native_id) {
    reading_result snapshot;
    python_stack stack;
    std::vector<code_facts> fresh;
    snapshot.result = reader_.read(id, stack, fresh);
    for (const auto& code : fresh)
      names_[code.number] = std::string(code.name.begin(), code.name.end());
    for (const auto& frame : stack.frames)
      snapshot.names.push_back(names_.at(frame.code) + (frame.entered_from_c ? "<" : ""));
    snapshot.holds_gil = stack.holds_gil;
    return snapshot;
  }

 private:
  thread_reader reader_;
  std::map<std::uint64_t, std::string> names_;
};

using names = std::vector<std::string>;

// main calls work; C code calls key.
void three_frames(fake_interpreter& fake) {
  fake.set_frame(0, fake.add_code("main"), true);
  fake.set_frame(1, fake.add_code("work"), false);
  fake.set_frame(2, fake.add_code("key"), true);
  fake.set_current(fake.frame_address(2));
}

}  // namespace

TEST_CASE("frames are read leaf first, and entries from C are marked") {
  fake_interpreter fake;
  three_frames(fake);
  fake_reader reader{fake};
  auto snapshot = reader.read();
  CHECK(snapshot.result == read_result::read);
  CHECK(snapshot.names == names{"key<", "work", "main<"});
  CHECK(snapshot.holds_gil == true);
  fake.release_gil();
  CHECK(reader.read().holds_gil == false);
}

TEST_CASE("a stack with an instruction outside of its code is torn and has no frames") {
  fake_interpreter fake;
  const auto code = fake.add_code("short");
  fake_interpreter::set(fake.memory_at(code), fake.fields().object.variable_size, std::uint64_t{0});
  fake.set_frame(0, fake.add_code("main"), true);
  fake.set_frame(1, code, false);  // at its second instruction
  fake.set_frame(2, fake.add_code("key"), true);
  fake.set_current(fake.frame_address(2));
  const auto snapshot = fake_reader{fake}.read();
  CHECK(snapshot.result == read_result::torn);
  CHECK(snapshot.names.empty());
}

TEST_CASE("threads without Python code and unknown threads have no frames") {
  fake_interpreter fake;
  CHECK(fake_reader{fake}.read().result == read_result::no_frames);
  three_frames(fake);
  CHECK(fake_reader{fake}.read(4712).result == read_result::no_frames);
}

TEST_CASE("a code object at a reused address is detected") {
  fake_interpreter fake;
  three_frames(fake);
  fake_reader reader{fake};
  CHECK(reader.read().names[0] == "key<");
  const auto code = fake.add_code("other");
  fake.set_frame(2, code, true);
  CHECK(reader.read().names[0] == "other<");
  fake_interpreter::set(fake.memory_at(code), fake.fields().code.qualified_name,
                        fake.add_text("third"));
  CHECK(reader.read().names[0] == "third<");
}

TEST_CASE("invalid structures make the read torn and are never followed") {
  fake_interpreter fake;
  three_frames(fake);
  SUBCASE("a caller in unmapped memory") { fake.set_previous(1, 8); }
  SUBCASE("a caller beyond the address space") { fake.set_previous(1, ~std::uint64_t{0} - 7); }
  SUBCASE("a current frame in unmapped memory") { fake.set_current(16); }
  SUBCASE("code in unmapped memory") { fake.set_frame(1, 64, false); }
  SUBCASE("code that is not a code object") { fake.set_frame(1, fake.add_text("text"), false); }
  SUBCASE("an instruction beyond the code") {
    const auto code = fake.add_code("short");
    fake_interpreter::set(fake.memory_at(code), fake.fields().object.variable_size,
                          std::uint64_t{1});
    fake.set_frame(2, code, true);
  }
  SUBCASE("a name with an invalid character width") {
    const auto code = fake.add_code("wide");
    const auto text = fake.add_text("x");
    fake_interpreter::set(fake.memory_at(text), fake.fields().object.text_state, ~0U);
    fake_interpreter::set(fake.memory_at(code), fake.fields().code.qualified_name, text);
    fake.set_frame(2, code, true);
  }
  const auto snapshot = fake_reader{fake}.read();
  CHECK(snapshot.result == read_result::torn);
  CHECK(snapshot.names.empty());
}

TEST_CASE("cycles and endless lists end the read") {
  fake_interpreter fake;
  three_frames(fake);
  SUBCASE("of frames") {
    fake.set_previous(0, fake.frame_address(2));
    CHECK(fake_reader{fake}.read().result == read_result::too_deep);
  }
  SUBCASE("of threads") {
    fake.set_next_thread(fake.thread_address());
    CHECK(fake_reader{fake}.read(4712).result == read_result::no_frames);
  }
}

TEST_CASE("1,024 frames are read, 1,025 are too deep") {
  fake_interpreter fake;
  const auto code = fake.add_code("deep");
  for (std::size_t i = 0; i < 1025; ++i) fake.set_frame(i, code, i == 0);
  fake.set_current(fake.frame_address(1023));
  const auto snapshot = fake_reader{fake}.read();
  CHECK(snapshot.result == read_result::read);
  REQUIRE(snapshot.names.size() == 1024);
  CHECK(snapshot.names.back() == "deep<");
  fake.set_current(fake.frame_address(1024));
  CHECK(fake_reader{fake}.read().result == read_result::too_deep);
}

TEST_CASE("names are truncated at their limit") {
  fake_interpreter fake;
  const auto code = fake.add_code(std::string(100'000, 'x'));
  fake.set_frame(0, code, true);
  fake.set_current(fake.frame_address(0));
  CHECK(fake_reader{fake}.read().names == names{std::string(4096, 'x') + "<"});
  const auto text = fake.add_text("lying");
  fake_interpreter::set(fake.memory_at(text), fake.fields().object.text_length, ~std::uint64_t{0});
  fake_interpreter::set(fake.memory_at(code), fake.fields().code.qualified_name, text);
  const auto snapshot = fake_reader{fake}.read();
  CHECK((snapshot.result == read_result::torn || snapshot.names[0].size() == 4097));
}

}  // namespace stallscope::python_frames
