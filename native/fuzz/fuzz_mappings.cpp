// Any text as /proc/PID/maps, and any bytes as the messages of a helper: mappings are ordered
// ranges, or there are none.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/descriptor.hpp"
#include "base/procfs.hpp"
#include "collect/target_requests.hpp"

namespace {

using namespace stallscope;

void require(bool holds) {
  if (!holds) std::abort();
}

bool same(const memory_mapping& a, const memory_mapping& b) {
  return a.start == b.start && a.end == b.end && a.page_offset == b.page_offset &&
         a.inode == b.inode && a.path == b.path && a.protection == b.protection;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const descriptor file{::memfd_create("maps", MFD_CLOEXEC)};
  require(::pwrite(file.get(), data, size, 0) == static_cast<ssize_t>(size));
  collect::code_mappings code;
  for_each_line("/proc/self/fd/" + std::to_string(file.get()), [&code](std::string_view line) {
    const auto mapping = parse_mapping(std::string{line});
    if (!mapping) return true;
    require(mapping->start < mapping->end);
    require(mapping->path.size() <= line.size());
    code.mappings.push_back(*mapping);
    return code.mappings.size() < 1000;
  });
  const auto decoded = collect::decode_mappings(collect::encode(code));
  require(decoded.mappings.size() == code.mappings.size());
  for (std::size_t i = 0; i < decoded.mappings.size(); ++i)
    require(same(decoded.mappings[i], code.mappings[i]));
  const auto bytes = std::as_bytes(std::span(data, size));
  for (const auto& mapping : collect::decode_mappings(bytes).mappings)
    require(mapping.start < mapping.end && mapping.path.size() <= size);
  collect::decode_request(bytes);
  return 0;
}
