#include <doctest/doctest.h>
#include <sys/mman.h>

#include "collect/record_buffer.hpp"

using namespace stallscope;
using namespace stallscope::collect;

namespace {

perf_event_header header_of(const record_buffer& buffer) {
  perf_event_header header{};
  std::memcpy(&header, buffer.bytes().data(), sizeof header);
  return header;
}

}  // namespace

TEST_CASE("a comm record has a padded name and the trailer of sample_id_all") {
  record_buffer buffer;
  put_comm(buffer, {10, 11, 1, 1}, "seven77");
  CHECK(header_of(buffer).type == PERF_RECORD_COMM);
  CHECK(header_of(buffer).size == 8 + 8 + 8 + 32);
  CHECK(buffer.bytes().size() == header_of(buffer).size);
  record_buffer longer;
  put_comm(longer, {10, 11, 1, 1}, "eight888");  // needs another eight bytes for its zero
  CHECK(longer.bytes().size() == 8 + 8 + 16 + 32);
}

TEST_CASE("a synthesized fork record inherits no mappings") {
  record_buffer buffer;
  put_fork(buffer, {10, 11, 1, 1});
  CHECK(header_of(buffer).type == PERF_RECORD_FORK);
  CHECK(header_of(buffer).misc == 1U << 13U);
}

TEST_CASE("a mapping has the build id if there is one, otherwise device and inode") {
  const memory_mapping mapping{0x1000, 0x3000,  0x200, 8, 1, 42, PROT_READ | PROT_EXEC,
                               false,  "/bin/x"};
  record_buffer plain;
  put_mapping(plain, 5, mapping, {});
  CHECK((header_of(plain).misc & PERF_RECORD_MISC_MMAP_BUILD_ID) == 0);
  CHECK((header_of(plain).misc & PERF_RECORD_MISC_MMAP_DATA) == 0);
  record_buffer with_id;
  put_mapping(with_id, 5, mapping, build_id(20, std::byte{0xab}));
  CHECK((header_of(with_id).misc & PERF_RECORD_MISC_MMAP_BUILD_ID) != 0);
  CHECK(plain.bytes().size() == with_id.bytes().size());
  CHECK(with_id.bytes()[40] == std::byte{20});
  CHECK(with_id.bytes()[44] == std::byte{0xab});
}

TEST_CASE("a mapping without code is marked as data") {
  memory_mapping mapping{0x1000, 0x3000, 0, 8, 1, 42, PROT_READ, false, "/bin/x"};
  record_buffer buffer;
  put_mapping(buffer, 5, mapping, {});
  CHECK((header_of(buffer).misc & PERF_RECORD_MISC_MMAP_DATA) != 0);
}

TEST_CASE("a path longer than PATH_MAX is cut so that the record's size fits in 16 bits") {
  memory_mapping mapping;
  mapping.end = 1;
  mapping.path = std::string(100'000, 'x');
  record_buffer buffer;
  put_mapping(buffer, 5, mapping, {});
  CHECK(buffer.bytes().size() == header_of(buffer).size);
  CHECK(buffer.bytes().size() < 5000);
}
