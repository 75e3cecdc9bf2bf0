// Ruby objects of another process: strings, the names of symbols, and the names of classes. Costs 1
// to 12 reads each. Everything is untrusted and limited. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "managed_frames/runtime_file.hpp"
#include "process_reading/process_memory.hpp"
#include "ruby_frames/layout.hpp"

namespace stallscope::ruby_frames {

class objects {
 public:
  // `writable` is the data of Ruby's file.
  objects(process_reading::process_memory memory, const layout& fields,
          std::vector<managed_frames::address_range> writable)
      : memory_{memory}, fields_{fields}, writable_{std::move(writable)} {}

  // Searches the table of symbols in the data of Ruby's file, because no symbol leads to it.
  // Returns whether it is known. Without it, methods have no names. Costs a read of the data until
  // the table is found, at most every 20 ms and 100 times.
  bool find_symbols();

  [[nodiscard]] std::optional<std::u32string> string_at(std::uint64_t object) const;
  // The text of a string, or of the second string of an array of two (path and real path).
  [[nodiscard]] std::optional<std::u32string> path_at(std::uint64_t object) const;
  [[nodiscard]] std::optional<std::u32string> name_of_id(std::uint64_t id) const;
  // "Foo::Bar#" for a class or module, "Foo::Bar." for the singleton class of one; empty if the
  // class has no name.
  [[nodiscard]] std::u32string method_prefix(std::uint64_t owner) const;

 private:
  [[nodiscard]] std::vector<std::uint64_t> elements(std::uint64_t array, std::uint64_t first,
                                                    std::size_t count) const;
  [[nodiscard]] std::optional<std::u32string> name_in(std::uint64_t symbols,
                                                      std::uint64_t serial) const;
  struct class_names {
    std::optional<std::u32string> path{};
    std::uint64_t attached = 0;  // of a singleton class
  };
  [[nodiscard]] class_names names_of(std::uint64_t class_object) const;

  process_reading::process_memory memory_;
  layout fields_;
  std::vector<managed_frames::address_range> writable_;
  std::uint64_t symbols_ = 0;  // address of the table
  std::uint64_t searched_ns_ = 0;
  int searches_ = 0;
};

}  // namespace stallscope::ruby_frames
