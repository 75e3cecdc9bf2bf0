#include <doctest/doctest.h>
#include <unistd.h>

#include <string>

#include "fake_ruby.hpp"
#include "ruby_frames/reader.hpp"

namespace stallscope::ruby_frames {
namespace {

struct walked {
  managed_frames::walk_result result{};
  managed_frames::managed_stack stack;
  std::string lines;
};

walked walk(fake_ruby& ruby, std::uint64_t stack_pointer = fake_ruby::stack_top - 64) {
  walked of;
  managed_frames::function_log log{{1, 1}, of.lines};
  const process_reading::process_memory memory{::getpid()};
  reader frames{::getpid(), ruby_3_1, ruby.vm_pointer(), objects{memory, ruby_3_1, {}}, log};
  managed_frames::stack_sample sample;
  sample.pid = sample.tid = ::getpid();
  sample.stack_address = stack_pointer;
  of.result = frames.walk(sample, of.stack);
  return of;
}

TEST_CASE("each call of Ruby's loop is a run, with labels and lines") {
  fake_ruby ruby;
  ruby.push(0, 0x79990001 | fake_ruby::finish | fake_ruby::local);
  ruby.push(ruby.add_sequence("<main>", "<main>", "/a.rb", 5),
            fake_ruby::method_kind | fake_ruby::finish | fake_ruby::local);
  ruby.push(ruby.add_sequence("total", "total", "/a.rb", 7),
            fake_ruby::method_kind | fake_ruby::local);
  ruby.push(ruby.add_sequence("block in total", "total", "/a.rb", 9),
            fake_ruby::method_kind | fake_ruby::finish | fake_ruby::local);
  const auto of = walk(ruby);
  REQUIRE(of.stack.runs.size() == 2);
  REQUIRE(of.stack.runs[0].size() == 1);
  REQUIRE(of.stack.runs[1].size() == 2);
  CHECK(of.stack.runs[0][0].line == 9);
  CHECK(of.stack.runs[1][0].line == 7);
  CHECK(of.lines.find("\"name\":\"block in total\",\"file\":\"/a.rb\",\"line\":9") !=
        std::string::npos);
}

TEST_CASE("a function has the place of its instructions") {
  fake_ruby ruby;
  const auto sequence = ruby.add_sequence("<main>", "<main>", "/a.rb", 5);
  ruby.push(sequence, fake_ruby::method_kind | fake_ruby::finish | fake_ruby::local);
  const auto encoded = ruby.word(ruby.word(sequence + ruby_3_1.iseq_body) + ruby_3_1.body_encoded);
  const auto expected =
      "\"code\":[" + std::to_string(encoded) + ',' + std::to_string(encoded + 64) + ']';
  CHECK(walk(ruby).lines.find(expected) != std::string::npos);
}

TEST_CASE("a block that is written in C has no frame") {
  fake_ruby ruby;
  ruby.push(ruby.add_sequence("<main>", "<main>", "/a.rb", 5),
            fake_ruby::method_kind | fake_ruby::finish | fake_ruby::local);
  ruby.push(ruby.context(), 0x66660001 | fake_ruby::local);
  const auto of = walk(ruby);
  REQUIRE(of.stack.runs.size() == 1);
  CHECK(of.stack.runs[0].size() == 1);
}

TEST_CASE("a sample on another stack is of a thread without Ruby") {
  fake_ruby ruby;
  ruby.push(ruby.add_sequence("<main>", "<main>", "/a.rb", 5),
            fake_ruby::method_kind | fake_ruby::finish | fake_ruby::local);
  const auto of = walk(ruby, fake_ruby::stack_top + 4096);
  CHECK(of.result == managed_frames::walk_result::walked);
  CHECK(of.stack.runs.empty());
}

TEST_CASE("arm64 has larger mutexes in the ractor, and the same offsets elsewhere") {
  const auto x86_64 = layout_of("3.1.7", unwind::architecture::x86_64);
  const auto arm64 = layout_of("3.1.2", unwind::architecture::arm64);
  REQUIRE(x86_64);
  REQUIRE(arm64);
  CHECK(arm64->ractor_running - x86_64->ractor_running == 2 * 8);
  CHECK(arm64->context_frame == x86_64->context_frame);
  CHECK_FALSE(layout_of("3.0.2", unwind::architecture::arm64));
}

TEST_CASE("a frame outside the stack of frames is torn") {
  fake_ruby ruby;
  ruby.put(ruby.context() + ruby_3_1.context_frame, 0x1000);
  CHECK(walk(ruby).result == managed_frames::walk_result::torn);
}

}  // namespace
}  // namespace stallscope::ruby_frames
