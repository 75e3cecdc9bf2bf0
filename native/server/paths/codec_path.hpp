// The path `codec`: CODEC <bytes> answers 16 hexadecimal digits, a digest of the bytes that
// synthetic code computes. The code does nothing useful; it is there to be as large as is asked
// for, in stages as large as is asked for (generate_code.py says what it is made of). Named
// synthetic wherever it is shown. Its steps: codec_read, codec_synthetic_00 and so on, codec_reply.
//
// A request executes some 80 instructions a KB of footprint. One thread a path; the code is shared.
#pragma once

#include <cstddef>
#include <memory>

#include "server/paths/path.hpp"

namespace stallscope::server {

inline constexpr std::size_t most_codec_kb = 1027;

struct codec_settings {
  std::size_t footprint_kb = 416;
  std::size_t stage_kb = 13;  // the last stage has what is left
};

// Throws std::invalid_argument where a stage is larger than the footprint, or it than the code.
std::unique_ptr<path> make_codec_path(const codec_settings& settings);

}  // namespace stallscope::server
