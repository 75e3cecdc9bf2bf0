// The path `codec`: CODEC <bytes> replies with 16 hexadecimal digits, a digest of the bytes that
// synthetic code computes. The code is not useful; it only has a configurable size, in stages of a
// configurable size (generate_code.py describes it). It is labelled synthetic wherever it appears.
// Steps: codec_read, codec_synthetic_00 and so on, codec_reply.
//
// Cost: about 150 instructions per KB of footprint and request. One thread per path; the code is
// shared.
#pragma once

#include <cstddef>
#include <memory>

#include "server/paths/path.hpp"

namespace stallscope::server {

inline constexpr std::size_t max_codec_kb = 2054;

struct codec_settings {
  std::size_t footprint_kb = 416;
  std::size_t stage_kb = 13;  // the last stage has the rest
};

// Throws std::invalid_argument if a stage is larger than the footprint or the footprint is larger
// than the code.
std::unique_ptr<path> make_codec_path(const codec_settings& settings);

}  // namespace stallscope::server
