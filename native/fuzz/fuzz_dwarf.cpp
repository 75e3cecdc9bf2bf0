// Sections of debug information from arbitrary bytes, of a file and its supplementary file:
// locations of addresses always end, and refer to functions and texts that exist. The input is the
// sections, each after its length in 2 bytes; the rest are addresses.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/byte_reader.hpp"
#include "dwarf/locations.hpp"
#include "require.hpp"

namespace {

using namespace stallscope::dwarf;
using stallscope::byte_reader;

constexpr std::size_t max_addresses = 64;

section next_section(byte_reader& input) {
  const auto length = input.number<std::uint16_t>();
  return section(input.take(length < input.left() ? length : input.left()));
}

sections next_file(byte_reader& input) {
  sections file;
  for (section* member :
       {&file.info, &file.abbrev, &file.line, &file.str, &file.line_str, &file.str_offsets,
        &file.addr, &file.ranges, &file.rnglists, &file.aranges}) {
    *member = next_section(input);
  }
  return file;
}

std::vector<std::uint64_t> addresses_of(byte_reader& input) {
  std::vector<std::uint64_t> addresses;
  while (input.left() >= 4 && addresses.size() < max_addresses) {
    addresses.push_back(input.number<std::uint32_t>());
  }
  for (std::uint64_t address = 0; addresses.size() < max_addresses; address += 0x40) {
    addresses.push_back(0x1000 + address);  // the code of small programs
  }
  return addresses;
}

void check(const unit_addresses& part, const unit_locations& result) {
  require(result.locations.size() == part.addresses.size());
  const auto functions = static_cast<std::int32_t>(result.functions.size());
  const auto texts = static_cast<std::int32_t>(result.texts.size());
  for (const location& row : result.locations) {
    require(row.file < texts && row.function < functions);
    require(row.file == no_text || row.line != 0);
  }
  for (std::int32_t index = 0; index < functions; ++index) {
    const located_function& row = result.functions[static_cast<std::size_t>(index)];
    require(row.caller < index && row.name < texts && row.call_file < texts);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  byte_reader input(std::as_bytes(std::span(data, size)));
  sections main = next_file(input);
  auto supplementary = std::make_unique<debug_file>(next_file(input));
  location_reader reader(std::move(main), std::move(supplementary));
  for (const unit_addresses& part : reader.assign(addresses_of(input))) {
    require(!part.addresses.empty());
    check(part, reader.locate(part));
  }
  return 0;
}
