// Any bytes as the memory of a HotSpot virtual machine: walks end in limited time and return frames
// that are in the log. The input changes bytes of a small valid machine: entries of four bytes, the
// place and a value to add; what follows is the copied stack, with addresses of its code.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "../../tests/native/hotspot_frames/fake_virtual_machine.hpp"
#include "hotspot_frames/native_exit.hpp"
#include "hotspot_frames/wrapper_search.hpp"
#include "require.hpp"

namespace {

using namespace stallscope;
using namespace stallscope::hotspot_frames;

constexpr std::size_t entry_bytes = 4;
constexpr std::size_t max_entries = 16;
constexpr std::uint64_t stack_start = 0x10000;

void change(fake_virtual_machine& machine, std::span<const std::uint8_t>& input) {
  const auto visible = machine.visible();
  for (std::size_t i = 0; i < max_entries && input.size() >= entry_bytes; ++i) {
    if (input[0] == 0xff) break;
    const auto& bytes = visible[input[0] % visible.size()];
    const std::size_t place = (input[1] | std::size_t{input[2]} << 8U) % bytes.size();
    bytes[place] = static_cast<std::byte>(static_cast<std::uint8_t>(bytes[place]) + input[3]);
    input = input.subspan(entry_bytes);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::span input{data, size};
  fake_virtual_machine machine;
  const auto method = machine.add_method("a/A", "f", 3);
  const auto compiled = machine.add_blob("nmethod", method, 2, {0x55, 0x90, 0x5d, 0xc3}, 1);
  const auto interpreter = machine.add_blob("Interpreter", 0, 0, {0x90, 0x90}, 0);
  const auto stub = machine.add_blob("StubRoutines (1)", 0, 0, {0x55, 0x90}, 0);
  const auto runtime = machine.add_blob("RuntimeStub", 0, 4, {0x55, 0x90}, 0);
  change(machine, input);
  std::vector<std::uint64_t> stack;
  for (const std::uint8_t byte : input) {
    const std::uint64_t low = byte >> 3U;
    const std::uint64_t places[] = {low,
                                    stack_start + 8 * low,
                                    compiled.code + low,
                                    interpreter.code + low,
                                    stub.code + low,
                                    runtime.code + low,
                                    method,
                                    fake_virtual_machine::bytecode(method, low % 16)};
    stack.push_back(places[byte & 7U]);
  }
  // The first byte chooses the architecture.
  if (!input.empty() && (input.front() & 1U) != 0) machine.set_arm64();
  const process_memory memory{::getpid()};
  std::string lines;
  managed_frames::function_log log{{1, 1}, lines};
  java_walker walker{memory, machine.layout(), ::getpid(), log};
  if (!walker.prepare() || stack.size() < 4) return 0;
  managed_frames::stack_sample sample;
  sample.stack_address = stack_start;
  sample.stack = std::as_bytes(std::span{stack}.subspan(3));
  sample.arch = machine.layout().frames.arch;
  sample.registers.set(unwind::arm64::lr, stack[0]);
  sample.registers.set(unwind::arm64::fp, stack[1]);
  find_native_exit(walker, sample, [](std::uint64_t pc) { return (pc & 1U) != 0; });
  find_wrapper_frame(walker, sample);
  for (const bool is_leaf : {true, false}) {
    frame_position now{.pc = stack[0],
                       .sp = stack_start,
                       .fp = stack[1],
                       .is_leaf = is_leaf,
                       .link = stack[2],
                       .method = stack[2],
                       .sender_sp = stack[2],
                       .bytecode = stack[2]};
    frame_history history;
    std::vector<managed_frames::managed_frame> frames;
    std::uint64_t entry_frame = 0;
    walker.walk(now, sample, history, frames, entry_frame);
    for (const auto& frame : frames)
      require(lines.find("{\"function\":" + std::to_string(frame.function) + ",") !=
              std::string::npos);
  }
  return 0;
}
