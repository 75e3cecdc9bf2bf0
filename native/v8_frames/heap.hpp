// Reads of V8's heap: tagged words, types of objects, strings. The heap is untrusted and changes
// while it is read: every length is limited, and a value that does not fit its type is nullopt.
// Each function costs one to a few reads of memory. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "process_reading/process_memory.hpp"
#include "v8_frames/layout.hpp"

namespace stallscope::v8_frames {

using process_reading::value_at;

// A tagged word: a small integer in the upper half, or an address plus 1.
[[nodiscard]] constexpr bool is_smi(std::uint64_t word) noexcept { return (word & 1U) == 0; }
[[nodiscard]] constexpr std::int32_t smi_value(std::uint64_t word) noexcept {
  return static_cast<std::int32_t>(word >> 32U);
}
[[nodiscard]] constexpr bool is_pointer(std::uint64_t word) noexcept {
  return (word & 3U) == 1 && word >= 4096;
}
[[nodiscard]] constexpr std::uint64_t address_of(std::uint64_t pointer) noexcept {
  return pointer - 1;
}

class heap {
 public:
  heap(const process_reading::process_memory& memory, const layout& fields)
      : memory_{memory}, fields_{&fields} {}

  [[nodiscard]] bool read(std::uint64_t address, std::span<std::byte> into) const {
    return memory_.read(address, into);
  }
  [[nodiscard]] bool read(std::span<const process_reading::memory_range> ranges) const {
    return memory_.read(ranges);
  }
  // The word of a field of a pointer's object.
  [[nodiscard]] std::optional<std::uint64_t> field(std::uint64_t pointer,
                                                   std::uint32_t offset) const;
  // The instance type of an object by its map word, with a cache; nullopt if it is not a map.
  std::optional<std::uint32_t> type_of_map(std::uint64_t map_word);
  std::optional<std::uint32_t> type_of(std::uint64_t pointer);
  // The first `max_characters` of a string; nullopt if the object is not a string.
  std::optional<std::u32string> text(std::uint64_t pointer, std::size_t max_characters);
  // The offsets of the newlines of a string of at most `max_bytes`; nullopt if it is longer or no
  // string.
  std::optional<std::vector<std::uint32_t>> newlines(std::uint64_t pointer, std::size_t max_bytes);
  // The first `max_elements` elements of an array; nullopt if the object is not an array.
  std::optional<std::vector<std::uint64_t>> elements(std::uint64_t pointer,
                                                     std::size_t max_elements) const;
  // The bytes of a byte array; nullopt if it has more than `max_bytes`.
  std::optional<std::vector<std::byte>> bytes(std::uint64_t pointer, std::size_t max_bytes) const;

 private:
  struct flat_string {
    std::uint64_t characters = 0;  // address
    std::size_t length = 0;
    bool one_byte = true;
  };
  // The characters of a string that is not a concatenation.
  std::optional<flat_string> flat(std::uint64_t pointer, int depth);
  bool append(std::uint64_t pointer, std::size_t max_characters, int depth, std::u32string& into);

  process_reading::process_memory memory_;
  const layout* fields_;
  std::unordered_map<std::uint64_t, std::uint32_t> types_;  // by map word
};

}  // namespace stallscope::v8_frames
