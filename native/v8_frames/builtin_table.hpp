// The builtins of V8: code in its file, named by the linker's symbols (Builtins_*). Each isolate
// may map that part of the file again, so addresses are translated through the mappings. Costs a
// read of the symbol table. Look-ups are binary searches. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "managed_frames/runtime_reader.hpp"
#include "process_reading/elf_file.hpp"

namespace stallscope::v8_frames {

struct builtin {
  std::uint64_t begin = 0;  // offset in the file
  std::uint64_t end = 0;
  std::string name;         // without Builtins_
  bool interprets = false;  // a bytecode handler, or the interpreter's entry
  bool is_any = false;      // some builtin of a file without symbols, perhaps a bytecode handler
};

// Returns the builtins in ascending order; empty if the file has no linker symbols.
std::vector<builtin> read_builtins(const process_reading::elf_file& file);

// What lies at an address of code.
enum class code_area { file, builtin, generated };

class code_areas {
 public:
  code_areas(procfs proc, pid_t pid, memory_mapping v8, std::vector<builtin> builtins);

  struct place {
    code_area area = code_area::generated;
    const builtin* code = nullptr;  // of a named builtin
    std::uint64_t offset = 0;       // in V8's file; 0 for other files
  };
  // Reads the mappings again, at most every 50 ms, if no mapping contains the address.
  place of(std::uint64_t pc);
  // Generated code lies at this address. Its pages are not always executable: V8 10 makes them
  // writable instead while it compiles.
  void note_generated(std::uint64_t pc);
  // Whether the address may be code: generated, or in an executable mapping when they were last
  // read.
  [[nodiscard]] bool is_code(std::uint64_t pc) const;

 private:
  void read_mappings();
  [[nodiscard]] const memory_mapping* find(std::uint64_t pc) const;

  procfs proc_;
  pid_t pid_;
  memory_mapping v8_;
  std::vector<builtin> builtins_;
  std::vector<memory_mapping> mappings_;
  std::unordered_set<std::uint64_t> generated_;  // numbers of V8's pages with generated code
  std::uint64_t read_ns_ = 0;
};

}  // namespace stallscope::v8_frames
