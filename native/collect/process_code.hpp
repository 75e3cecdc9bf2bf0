// The code of a process that runs, with its unwind tables: what the stack probe unwinds by. Tables
// are compiled when first needed (milliseconds for most binaries) and shared by all processes. The
// binaries are hostile input: what cannot be opened or makes no sense has no table. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/descriptor.hpp"
#include "base/procfs.hpp"
#include "collect/time_limit.hpp"
#include "unwind/unwinder.hpp"

namespace stallscope::collect {

// Compiled tables by file; no new ones beyond the time given.
class table_store {
 public:
  explicit table_store(const time_limit& limit) : limit_{limit} {}

  // nullptr where there is none.
  const unwind::table* of_mapping(const procfs& proc, pid_t pid, const memory_mapping& mapping);
  const unwind::table* of_file(const descriptor& file);
  // The kernel's own, as mapped into this process.
  const unwind::table* of_vdso();

 private:
  using file_key = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::string>;
  const unwind::table* compiled(const file_key& key, const descriptor& file);
  time_limit limit_;
  std::map<file_key, std::optional<unwind::table>> tables_;
  std::optional<std::optional<unwind::table>> vdso_;
};

class process_code : public unwind::code_map {
 public:
  // Reads the mappings of that moment.
  process_code(const procfs& proc, pid_t pid, table_store& tables);

  const unwind::mapped_code* find(std::uint64_t address) override;

  // Whether a binary was asked for since the last call whose tables could not be read.
  bool take_unread() { return std::exchange(unread_, false); }

  // Share (0..1) of the code mapped from files whose callers frame pointers find: half of it the
  // executable's, half the libraries', those by their size. Nothing where none could be read.
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

// The share of an executable and its libraries, each given as a share of code and its size.
struct code_share {
  double share = 0;
  std::uint64_t bytes = 0;
  bool executable = false;
};
std::optional<double> frame_pointer_share(const std::vector<code_share>& parts);

}  // namespace stallscope::collect
