// Names and line numbers of Java methods. A method is read once, about six system calls. Its memory
// may be reused for another method, so unchanged() reads the identities of the methods of a stack
// again, with a single call. Names are untrusted: modified UTF-8, limited in length. Belongs to a
// single thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "hotspot_frames/vm_layout.hpp"
#include "managed_frames/function_log.hpp"
#include "process_reading/process_memory.hpp"

namespace stallscope::hotspot_frames {

enum class code_kind : std::uint8_t { interpreted, c1, c2, native_wrapper };

struct method_facts {
  std::u32string name;               // class and method: java.util.HashMap.get
  std::u32string source_file;        // without a directory; empty if unknown
  std::uint64_t bytecodes = 0;       // address of the first bytecode
  std::uint32_t bytecode_bytes = 0;  // 0: a native method
  struct line_start {
    std::uint32_t bytecode = 0;
    std::uint32_t line = 0;
  };
  std::vector<line_start> lines;  // as in the class file, not sorted

  // The index of the bytecode at an address; -1 if it is not in the method.
  [[nodiscard]] std::int32_t bytecode_at(std::uint64_t address) const noexcept;
  // The line of a bytecode; 0 if unknown.
  [[nodiscard]] std::uint32_t line_of(std::int32_t bytecode) const noexcept;
};

class method_table {
 public:
  // `memory`, `layout` and `log` must outlive the table.
  method_table(const process_memory& memory, const vm_layout& layout, pid_t pid,
               managed_frames::function_log& log);

  // Returns nullptr if the address is not that of a method. The result is valid until the next
  // call of find() or unchanged().
  const method_facts* find(std::uint64_t method);
  // The id of a method in the log, by the kind of its code. Of an address that is not a method, the
  // id of a function without a name.
  std::uint64_t function(std::uint64_t method, code_kind kind);
  // Reads the identities of methods again. Those that were replaced are removed; returns whether
  // all are the same. A method that cannot be read counts as replaced.
  bool unchanged(std::span<const std::uint64_t> methods);
  // The two parts of unchanged(), to be read together with other memory: adds what must be read,
  // and compares it.
  void add_identities(std::span<const std::uint64_t> methods,
                      std::vector<process_reading::memory_range>& ranges);
  bool compare_identities(bool all_read, std::uint64_t read_ns);
  // When a method was last the same; 0: it is not known.
  [[nodiscard]] std::uint64_t checked_ns(std::uint64_t method) const;

 private:
  static constexpr std::size_t kinds = 4;
  struct known_method {
    std::uint64_t constants = 0;      // address of its ConstMethod, which is never modified
    std::vector<std::byte> identity;  // the bytes of its ConstMethod
    method_facts facts;
    std::uint64_t checked_ns = 0;                  // when the identity was last the same
    std::array<std::uint64_t, kinds> functions{};  // ids; 0: not in the log
  };
  struct identity_reading {
    std::uint64_t method = 0;
    std::uint64_t constants = 0;
    std::vector<std::byte> identity;
  };
  known_method* find_known(std::uint64_t method);
  [[nodiscard]] std::optional<known_method> read(std::uint64_t method) const;
  [[nodiscard]] std::optional<std::string> symbol(std::uint64_t address) const;
  [[nodiscard]] std::optional<std::string> pool_symbol(std::uint64_t pool, std::uint32_t index,
                                                       std::int32_t length) const;
  [[nodiscard]] std::vector<method_facts::line_start> read_lines(std::uint64_t address) const;

  const process_memory* memory_;
  const vm_layout* layout_;
  pid_t pid_;
  managed_frames::function_log* log_;
  std::unordered_map<std::uint64_t, known_method> methods_;
  std::vector<identity_reading> readings_;  // the buffers are reused
  std::size_t readings_used_ = 0;
  std::array<std::uint64_t, kinds> unnamed_{};  // ids of functions without a name
};

}  // namespace stallscope::hotspot_frames
