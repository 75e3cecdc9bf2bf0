// Prints the rows of a file's unwind table, a row per line, for comparison with readelf:
//  start end CFA RA [register=place...]
// in the notation of readelf --debug-dump=frames-interp. Used by tests only.
#include <fcntl.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <exception>

#include "rule_text.hpp"

namespace {

using namespace stallscope::unwind;

void print_row(const table_reader::content& content, std::size_t row) {
  const rule& row_rule = content.rules[content.rule_numbers[row]];
  const std::uint64_t next = row + 1 < content.starts.size() ? content.starts[row + 1] : 0;
  std::printf("%016" PRIx64 " %016" PRIx64 " %s\n", content.first_address + content.starts[row],
              content.first_address + next, text_of(content, row_rule).c_str());
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) return 2;
  const int file = open(words[1], O_RDONLY | O_CLOEXEC);
  const int debug_file = count > 2 ? open(words[2], O_RDONLY | O_CLOEXEC) : -1;
  try {
    const table rows_of_file = table::compile(file, debug_file);
    const auto& content = table_reader::of(rows_of_file);
    for (std::size_t row = 0; row < content.starts.size(); ++row) {
      if (content.rule_numbers[row] != 0) print_row(content, row);
    }
    std::fprintf(stderr, "%zu rows, %zu rules, %zu bad entries, share %.3f\n", rows_of_file.rows(),
                 content.rules.size() - 1, rows_of_file.bad_entries(),
                 rows_of_file.frame_pointer_share());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", words[1], error.what());
    return 1;
  }
  return 0;
}
