// The generated code of a process: from an address in it to its kind, its functions and their
// source positions. The start of code is searched backwards, some reads of 4 KiB; code that is
// known is checked again with one read of two ranges for each sample, because code moves and dies.
// A check serves all samples that are older than it. Everything is untrusted and limited. One
// thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_set>
#include <vector>

#include "v8_frames/function_table.hpp"
#include "v8_frames/heap.hpp"
#include "v8_frames/position_table.hpp"

namespace stallscope::v8_frames {

struct generated_code {
  std::uint64_t start = 0;  // of the instructions
  std::uint64_t size = 0;
  std::uint64_t object = 0;  // address of the InstructionStream, or of the Code
  std::uint64_t map = 0;     // its map word
  std::uint64_t code = 0;    // tagged Code
  std::uint64_t deoptimization = 0;
  code_kind kind = code_kind::other;
  // Of optimized code: its own function, those that are inlined, and the inlined calls.
  std::optional<known_function> function{};
  std::vector<std::optional<known_function>> literals{};
  struct inlined_call {
    std::uint64_t position = 0;
    std::int32_t function = -1;  // index into the literals
  };
  std::vector<inlined_call> calls{};
  position_table positions{};
  std::uint64_t checked_ns = 0;  // when it was last unchanged

  [[nodiscard]] bool contains(std::uint64_t pc) const noexcept {
    return pc >= start && pc - start < size;
  }
};

class code_table {
 public:
  // All references must outlive the table.
  code_table(heap& objects, const layout& fields, function_table& functions)
      : heap_{&objects}, fields_{&fields}, functions_{&functions} {}

  // Checks the known code at these addresses again, with one read. Until the next call at() trusts
  // code that was unchanged after the sample.
  void check_again(std::span<const std::uint64_t> pcs, std::uint64_t sample_ns);
  // The code at an address; null if there is none. Valid until the next call.
  const generated_code* at(std::uint64_t pc);

 private:
  const generated_code* known_at(std::uint64_t pc);
  std::optional<generated_code> search(std::uint64_t pc);
  // The code whose object is at this address, if it contains the pc.
  std::optional<generated_code> object_at(std::uint64_t address, std::uint64_t map,
                                          std::uint64_t pc);
  [[nodiscard]] bool unchanged(const generated_code& code) const;
  // Whether the first bytes of the object and of its Code are those of the code.
  [[nodiscard]] bool matches(const generated_code& code, std::span<const std::byte> header,
                             std::span<const std::byte> object) const;
  void read_contents(generated_code& code);

  heap* heap_;
  const layout* fields_;
  function_table* functions_;
  std::map<std::uint64_t, generated_code> known_;  // by start
  std::unordered_set<std::uint64_t> maps_;         // map words of code objects
  std::unordered_set<std::uint64_t> misses_;       // addresses without code, until the next clear
  std::vector<std::byte> chunk_;
  std::uint64_t sample_ns_ = 0;
  std::vector<generated_code*> checked_;  // scratch memory of check_again()
  std::vector<process_reading::memory_range> ranges_;
  std::vector<std::byte> read_;
};

}  // namespace stallscope::v8_frames
