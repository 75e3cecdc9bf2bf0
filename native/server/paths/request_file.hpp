// Generates request files: RESP requests in sequence, for the loader and for replays. The same seed
// gives the same file.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string_view>

namespace stallscope::server {

// Writes valid requests for a path. codec: CODEC with 64 random bytes. query: QUERY for random
// rows, one in fifty of which does not exist. kv: GET and SET of 10,000 keys, one in ten a SET of
// 100 bytes. Throws std::invalid_argument if the path is unknown.
void write_requests(std::ostream& out, std::string_view path, std::uint64_t count,
                    std::uint64_t seed);

}  // namespace stallscope::server
