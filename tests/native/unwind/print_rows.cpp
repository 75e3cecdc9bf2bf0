// Prints the rows of a file's unwind table, one a line, for comparison with readelf:
//   start end CFA RA [register=place...]
// with the words of readelf --debug-dump=frames-interp. For tests only.
#include <fcntl.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <string>

#include "table_content.hpp"

namespace {

using namespace stallscope::unwind;

std::string register_name(architecture arch, unsigned number) {
  static constexpr const char* x86_64_names[] = {"rax", "rdx", "rcx", "rbx", "rsi", "rdi",
                                                 "rbp", "rsp", "r8",  "r9",  "r10", "r11",
                                                 "r12", "r13", "r14", "r15", "rip"};
  if (arch == architecture::x86_64 && number < 17) return x86_64_names[number];
  return number == arm64::sp ? "sp" : "x" + std::to_string(number);
}

std::string signed_number(std::int32_t value) {
  return (value < 0 ? "" : "+") + std::to_string(value);
}

std::string place_of(architecture arch, const saved_register& each) {
  switch (each.how) {
    case recovery::same:
      return "s";
    case recovery::undefined:
      return "u";
    case recovery::at_offset:
      return "c" + signed_number(each.value);
    case recovery::is_offset:
      return "v" + signed_number(each.value);
    case recovery::in_register:
      return register_name(arch, static_cast<unsigned>(each.value));
    case recovery::at_expression:
      return "exp";
    case recovery::is_expression:
      return "vexp";
  }
  return "?";
}

void print_row(const table_reader::content& content, std::size_t row) {
  const rule& found = content.rules[content.rule_numbers[row]];
  const std::uint64_t next = row + 1 < content.starts.size() ? content.starts[row + 1] : 0;
  std::printf("%016" PRIx64 " %016" PRIx64 " ", content.first_address + content.starts[row],
              content.first_address + next);
  if (found.cfa_register == rule::by_expression) {
    std::printf("exp");
  } else {
    std::printf("%s%s", register_name(content.arch, found.cfa_register).c_str(),
                signed_number(found.cfa_offset).c_str());
  }
  for (const saved_register& each : content.saved_by(found)) {
    const std::string name =
        each.number == found.return_column ? "ra" : register_name(content.arch, each.number);
    std::printf(" %s=%s", name.c_str(), place_of(content.arch, each).c_str());
  }
  std::printf("\n");
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) return 2;
  const int file = open(words[1], O_RDONLY | O_CLOEXEC);
  const int debug_file = count > 2 ? open(words[2], O_RDONLY | O_CLOEXEC) : -1;
  try {
    const table found = table::compile(file, debug_file);
    const auto& content = table_reader::of(found);
    for (std::size_t row = 0; row < content.starts.size(); ++row) {
      if (content.rule_numbers[row] != 0) print_row(content, row);
    }
    std::fprintf(stderr, "%zu rows, %zu rules, %zu bad entries, share %.3f\n", found.rows(),
                 content.rules.size() - 1, found.bad_entries(), found.frame_pointer_share());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", words[1], error.what());
    return 1;
  }
  return 0;
}
