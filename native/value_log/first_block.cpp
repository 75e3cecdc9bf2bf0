#include "value_log/first_block.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "value_log/aligned_memory.hpp"

namespace stallscope::value_log {
namespace {

constexpr std::array<char, 16> signature{'s', 't', 'a', 'l', 'l', 's', 'c', 'o',
                                         'p', 'e', ' ', 'l', 'o', 'g', ' ', '1'};
static_assert(offsetof(first_block, records) == 512 && sizeof(first_block) <= block_bytes);

std::uint64_t owner_checksum(const first_block::owner& identity) {
  return store::key_hash(identity.secret, {reinterpret_cast<const char*>(&identity),
                                           offsetof(first_block::owner, checksum)});
}

std::uint64_t seal_checksum(std::uint64_t end, const segment_name& name,
                            const store::hash_seed& secret) {
  const std::array<std::uint64_t, 3> counted{end, name.shard, name.number};
  return store::key_hash(secret, {reinterpret_cast<const char*>(counted.data()), sizeof counted});
}

}  // namespace

bool first_block::whole() const {
  return identity.signature == signature && identity.checksum == owner_checksum(identity);
}

bool first_block::never_begun() const { return identity.signature == owner{}.signature; }

bool first_block::whole_seal(const segment_name& name, const store::hash_seed& secret) const {
  return records.end >= block_bytes && records.checksum == seal_checksum(records.end, name, secret);
}

first_block make_first_block(const store_identity& store, const segment_name& name,
                             std::uint64_t sealed_end) {
  first_block made{};
  made.identity = {.signature = signature,
                   .shards = store.shards,
                   .name = name,
                   .unused = 0,
                   .keys = store.keys,
                   .secret = store.secret,
                   .checksum = 0};
  made.identity.checksum = owner_checksum(made.identity);
  if (sealed_end != 0) made.records = {sealed_end, seal_checksum(sealed_end, name, store.secret)};
  return made;
}

first_block read_first_block(int file, const std::string& name) {
  const aligned_memory memory(block_bytes);
  std::ranges::fill(memory.bytes(), std::byte{0});
  if (::pread(file, memory.bytes().data(), block_bytes, 0) < 0) {
    throw std::system_error(errno, std::generic_category(),
                            "cannot read the first block of " + name);
  }
  first_block block{};
  std::memcpy(&block, memory.bytes().data(), sizeof block);
  return block;
}

bool write_first_block(int file, const first_block& made) {
  const aligned_memory memory(block_bytes);
  std::ranges::fill(memory.bytes(), std::byte{0});
  std::memcpy(memory.bytes().data(), &made, sizeof made);
  const ssize_t written = ::pwrite(file, memory.bytes().data(), block_bytes, 0);
  if (written >= 0 && written != static_cast<ssize_t>(block_bytes)) errno = ENOSPC;
  return written == static_cast<ssize_t>(block_bytes);
}

}  // namespace stallscope::value_log
