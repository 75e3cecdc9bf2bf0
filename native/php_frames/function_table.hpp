// The functions of a PHP process: from a zend_function to its name, class and file. Strings are
// read once; whether a function and its strings are still the same is checked at each use, with two
// reads for all functions of a stack. Everything is untrusted and limited. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "managed_frames/function_log.hpp"
#include "php_frames/layout.hpp"
#include "process_reading/process_memory.hpp"

namespace stallscope::php_frames {

// The fields of a zend_function that identify it.
struct function_fields {
  std::uint8_t type = 0;
  std::uint64_t name = 0;
  std::uint64_t scope = 0;
  std::uint64_t filename = 0;
  std::uint32_t first_line = 0;
  std::uint32_t last_line = 0;
  bool operator==(const function_fields&) const = default;
};

struct named_function {
  std::uint64_t id = 0;  // of the function log
  bool user = false;     // PHP code, with lines
  std::uint32_t first_line = 0;
  std::uint32_t last_line = 0;
};

class function_table {
 public:
  // The log must outlive the table.
  function_table(process_reading::process_memory memory, const layout& fields,
                 managed_frames::function_log& log, pid_t pid)
      : memory_{memory}, fields_{fields}, log_{&log}, pid_{pid} {}

  // The functions at these addresses, in their order. A function that cannot be read has an id
  // without a name.
  std::vector<named_function> at(std::span<const std::uint64_t> addresses);

 private:
  struct string_head {
    std::uint64_t hash = 0;
    std::uint64_t length = 0;
    std::uint64_t text = 0;  // the first bytes
    bool operator==(const string_head&) const = default;
  };
  struct entry {
    string_head name;
    string_head filename;
    std::uint64_t id = 0;
  };
  struct hash_of_fields {
    std::size_t operator()(const function_fields& fields) const noexcept;
  };
  [[nodiscard]] std::vector<std::optional<function_fields>> fields_of(
      std::span<const std::uint64_t> addresses) const;
  [[nodiscard]] std::optional<std::u32string> text_at(std::uint64_t string) const;
  std::uint64_t id_of(const function_fields& function, const string_head& name,
                      const string_head& filename);
  std::uint64_t unnamed();

  process_reading::process_memory memory_;
  layout fields_;
  managed_frames::function_log* log_;
  pid_t pid_;
  std::unordered_map<function_fields, entry, hash_of_fields> known_;
  std::uint64_t unnamed_ = 0;
};

}  // namespace stallscope::php_frames
