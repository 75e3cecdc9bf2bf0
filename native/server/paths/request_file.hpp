// Files of requests: RESP requests one after another and nothing else, for the loader and for
// replaying. The same seed gives the same file.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string_view>

namespace stallscope::server {

// Writes valid requests for a path: CODEC of 64 random bytes; QUERY for random rows, one in fifty
// of which does not exist; for `kv` SET and GET of 10,000 keys, one in ten a SET of 100 bytes.
// Throws std::invalid_argument where there is no such path.
void write_requests(std::ostream& out, std::string_view path, std::uint64_t count,
                    std::uint64_t seed);

}  // namespace stallscope::server
