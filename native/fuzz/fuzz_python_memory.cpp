// Any bytes as the memory of CPython: the structures of interpreters, threads, frames and code are
// read in limited time, and frames refer to code that was read. The input is a list of entries of
// five bytes: the place of a word in a small memory, and its value, a number or an address there.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "python_frames/frames_text.hpp"
#include "python_frames/layout.hpp"
#include "python_frames/thread_reader.hpp"

namespace {

using namespace stallscope::python_frames;

constexpr std::size_t memory_bytes = std::size_t{64} << 10U;
constexpr std::size_t entry_bytes = 5;
constexpr std::size_t type_offset = memory_bytes - 512;
constexpr std::size_t max_stack = 1024;
constexpr pid_t thread_id = 7;

void require(bool holds) {
  if (!holds) std::abort();
}

std::span<std::byte> memory() {
  static void* const pages =
      ::mmap(nullptr, memory_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return {static_cast<std::byte*>(pages), memory_bytes};
}

std::uint64_t address_of(std::size_t offset) {
  return reinterpret_cast<std::uintptr_t>(memory().data()) + offset;
}

void fill(std::span<const std::uint8_t> input) {
  std::memset(memory().data(), 0, memory_bytes);
  for (; input.size() >= entry_bytes; input = input.subspan(entry_bytes)) {
    const std::size_t place = (input[0] | std::size_t{input[1]} << 8U) % (memory_bytes / 8) * 8;
    const std::uint64_t number = input[2] | std::uint64_t{input[3]} << 8U;
    const std::uint64_t value = (input[4] & 1U) != 0   ? address_of(number % memory_bytes)
                                : (input[4] & 2U) != 0 ? number << (input[4] & 0x38U)
                                                       : number;
    std::memcpy(&memory()[place], &value, sizeof value);
  }
}

interpreter description(std::uint8_t kind) {
  interpreter result{address_of(0), address_of(type_offset), "3.11.2", *known_layout(11)};
  if ((kind & 3U) == 1) result.fields = *known_layout(12);
  if ((kind & 3U) == 2) {
    const auto offsets = layout_from_debug_offsets(
        std::span<const std::byte>{memory()}.first(debug_offsets_bytes), 0x030d00f0U);
    if (offsets.fields) result.fields = *offsets.fields;
  }
  return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  fill(std::span(data, size).subspan(1));
  thread_reader reader{::getpid(), description(data[0]),
                       std::make_shared<stallscope::process_reading::numbering>(1, 1)};
  python_stack stack;
  std::vector<code_facts> fresh;
  std::set<std::uint64_t> numbers;
  (void)reader.running();
  for (int round = 0; round < 2; ++round) {
    const auto result = reader.read(thread_id, stack, fresh);
    require((result == read_result::read) == !stack.frames.empty());
    std::string text;
    for (const auto& code : fresh) {
      numbers.insert(code.number);
      put_code(text, 1, code);
    }
    for (const auto& frame : stack.frames) require(numbers.contains(frame.code));
    require(stack.frames.size() <= max_stack);
    if (!stack.frames.empty()) put_stack(text, 1, stack.frames);
    require(text.find_first_not_of("\n") == 0 || text.empty());
    fresh.clear();
  }
  return 0;
}
