// The lines of python.jsonl, runtimes.jsonl or waits.jsonl that later lines refer to, for a
// recording of which only the last seconds are kept: code, stacks, processes, sources. Their size
// has a limit. Beyond it, stacks are dropped that no line has used for the longest time, with the
// code that only they used; lines that need them are left out. Costs a look-up per stack of a line.
// One thread.
//
//   flight_definitions definitions{max_bytes};
//   definitions.take(block_text);                  // of a dropped block
//   if (definitions.exceeded()) definitions.compact(kept_text);
//   const auto text = definitions.text_with(kept_text);
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stallscope::collect {

class flight_definitions {
 public:
  explicit flight_definitions(std::size_t max_bytes) : max_bytes_{max_bytes} {}

  // Keeps the definitions in a text of whole lines, and notes the stacks and processes
  // that its other lines use.
  void take(std::string_view lines);
  [[nodiscard]] bool exceeded() const { return size_bytes_ > max_bytes_; }
  // Drops definitions down to half of the limit. What `kept`, the lines that are still kept, uses
  // is dropped last.
  void compact(std::string_view kept);
  // The definitions, then the lines of `kept` whose stacks are known.
  [[nodiscard]] std::string text_with(std::string_view kept);

  [[nodiscard]] std::size_t size_bytes() const { return size_bytes_; }
  // Definitions that were dropped, and lines without their definitions.
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

 private:
  // A moment refers to stacks and to its process, and a stack refers to code: by numbers that
  // earlier lines define. Readers need the stacks and the code; without its process, the frames of
  // a moment have no names.
  enum class line_kind : std::uint8_t { head, process, code, stack, moment };
  struct definition {
    std::string text;
    std::uint64_t order = 0;  // of the first take
    std::uint64_t used = 0;   // by a line of this take
  };
  using key = std::pair<line_kind, std::uint64_t>;

  static line_kind kind_of(std::string_view line);
  static std::vector<std::uint64_t> stacks_of(std::string_view line);
  static std::optional<std::uint64_t> process_of(std::string_view line);
  static std::vector<std::uint64_t> code_of(std::string_view line);
  void define(line_kind kind, std::string_view line);
  void use(std::string_view line);
  void drop(const key& place);
  void drop_unused_code(const std::map<std::uint64_t, std::size_t>& uses);

  std::size_t max_bytes_;
  std::size_t size_bytes_ = 0;
  std::uint64_t order_ = 0;
  std::uint64_t now_ = 0;
  std::uint64_t dropped_ = 0;
  std::map<key, definition> definitions_;
};

}  // namespace stallscope::collect
