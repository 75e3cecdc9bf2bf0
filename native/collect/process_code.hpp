// The code of a running process with its unwind tables, for the stack probe. Tables are compiled on
// first use (milliseconds for most binaries) and shared by all processes. The binaries are hostile
// input: an unreadable or malformed file has no table. One thread.
//
//   table_store tables{time_limit::after(cpu_ns, wall_ns)};
//   process_code code{procfs{}, pid, tables};
//   const unwind::mapped_code* mapping = code.find(address);
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/descriptor.hpp"
#include "base/procfs.hpp"
#include "collect/target_reader.hpp"
#include "collect/time_limit.hpp"
#include "unwind/unwinder.hpp"

namespace stallscope::collect {

// Compiled tables by file. Compiles no new table after the time limit.
class table_store {
 public:
  // With a reader, files of processes are read through its helper; without one, directly.
  explicit table_store(const time_limit& limit, target_reader* reader = nullptr)
      : limit_{limit}, reader_{reader} {}

  // Return nullptr if there is no table.
  const unwind::table* of_mapping(const procfs& proc, pid_t pid, const memory_mapping& mapping);
  const unwind::table* of_file(const descriptor& file);
  code_mappings mappings_of(const procfs& proc, pid_t pid);
  // The table of the kernel's vdso, as mapped into this process.
  const unwind::table* of_vdso();

 private:
  using file_key = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::string>;
  const unwind::table* compiled(const file_key& key, const descriptor& file);
  time_limit limit_;
  target_reader* reader_;
  std::map<file_key, std::optional<unwind::table>> tables_;
  std::optional<std::optional<unwind::table>> vdso_;
};

class process_code : public unwind::code_map {
 public:
  // Reads the current mappings.
  process_code(const procfs& proc, pid_t pid, table_store& tables);

  const unwind::mapped_code* find(std::uint64_t address) override;

  // Returns whether, since the last call, find() met a binary whose tables could not be read.
  bool take_unread() { return std::exchange(unread_, false); }

  // Returns the share (0..1) of the code mapped from files that keeps frame pointers. The
  // executable has half of the weight, the libraries share the other half by size. nullopt if no
  // file could be read.
  std::optional<double> frame_pointer_share();

 private:
  struct mapped {
    memory_mapping mapping;
    bool looked_up = false;
    unwind::mapped_code code;
  };
  void look_up(mapped& entry);

  const procfs* proc_;
  pid_t pid_;
  table_store* tables_;
  std::vector<mapped> mappings_;  // executable ones, by address
  std::uint64_t executable_inode_ = 0;
  bool unread_ = false;
};

// The share of one executable or library; frame_pointer_share() combines them.
struct code_share {
  double share = 0;
  std::uint64_t bytes = 0;
  bool executable = false;
};
std::optional<double> frame_pointer_share(const std::vector<code_share>& parts);

}  // namespace stallscope::collect
