// Any bytes as the heap of a V8 process: walks end in limited time, and their frames are in the
// log. The input changes bytes of a small valid heap, entries of three bytes: the place and a value
// to add; what follows is the copied stack, with addresses of its code and objects.
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "../../tests/native/v8_frames/fake_heap.hpp"
#include "require.hpp"
#include "v8_frames/reader.hpp"

namespace {

using namespace stallscope;
using namespace stallscope::v8_frames;

constexpr std::size_t entry_bytes = 3;
constexpr std::size_t max_entries = 16;
constexpr std::uint64_t stack_start = 0x10000;
constexpr std::uint32_t turbofan = 13;
constexpr std::uint32_t baseline = 11;

void change(fake_heap& fake, std::span<const std::uint8_t>& input) {
  const auto visible = fake.visible();
  for (std::size_t i = 0; i < max_entries && input.size() >= entry_bytes; ++i) {
    if (input[0] == 0xff) break;
    auto& byte = visible[(input[0] | std::size_t{input[1]} << 8U) % visible.size()];
    byte = static_cast<std::byte>(static_cast<std::uint8_t>(byte) + input[2]);
    input = input.subspan(entry_bytes);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::span input{data, size};
  fake_heap fake;
  const std::array positions{std::byte{2}, std::byte{44}, std::byte{16}, std::byte{40}};
  const auto script = fake.add_script("/a.js", "one\ntwo\nthree");
  const auto shared =
      fake.add_shared_info(fake.add_cons(fake.add_string("na"), fake.add_string("me"), 4), script);
  const auto function = fake.add_function(shared);
  const auto bytecode = fake.add_bytecode(positions);
  const std::array<std::uint64_t, 1> literals{shared};
  const std::array call{std::byte{22}, std::byte{0}, std::byte{0}, std::byte{0},
                        std::byte{0},  std::byte{0}, std::byte{0}, std::byte{0},
                        std::byte{0},  std::byte{0}, std::byte{0}, std::byte{0},
                        std::byte{0},  std::byte{0}, std::byte{0}, std::byte{0}};
  const std::array<std::uint64_t, 8> items{
      0, fake_heap::smi(1), fake.add_array(literals), 0, 0, 0, shared, fake.add_bytes(call)};
  const auto optimized = fake.add_code(turbofan, fake.add_array(items), fake.add_bytes(positions));
  const auto compiled = fake.add_code(baseline, bytecode, 0);
  change(fake, input);
  std::vector<std::uint64_t> stack;
  for (const std::uint8_t byte : input) {
    const std::uint64_t low = byte >> 3U;
    const std::uint64_t places[] = {
        low << 33U, stack_start + 8 * low, optimized + low, compiled + low, function,
        bytecode,   fake_heap::smi(low),   shared};
    stack.push_back(places[byte & 7U]);
  }
  if (stack.size() < 3) return 0;
  std::string lines;
  managed_frames::function_log log{{1, 1}, lines};
  reader walker{::getpid(), fake_heap::fields(), code_areas{procfs{"/nonexistent"}, 1, {}, {}},
                log};
  managed_frames::stack_sample sample;
  sample.tid = 1;
  sample.stack_address = stack_start;
  sample.stack = std::as_bytes(std::span{stack}.subspan(2));
  sample.registers.set(unwind::x86_64::rip, stack[0]);
  sample.registers.set(unwind::x86_64::rbp, stack[1]);
  sample.registers.set(unwind::x86_64::rsp, stack_start);
  for (int again = 0; again < 2; ++again) {
    managed_frames::managed_stack walked;
    walker.walk(sample, walked);
    for (const auto& segment : walked.segments) {
      require(!segment.frames.empty());
      for (const auto& frame : segment.frames)
        require(lines.find("{\"function\":" + std::to_string(frame.function) + ",") !=
                std::string::npos);
    }
  }
  return 0;
}
