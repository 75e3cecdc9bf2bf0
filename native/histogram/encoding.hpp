// HdrHistogram's "V2" encoding of a histogram, as other implementations read and write it: a header
// and the counters as variable-length numbers, runs of zeros as negative ones. Any thread; some
// 0.3 ms for latencies that spread over a power of ten, most of it zlib's.
// Source: AbstractHistogram and ZigZagEncoding of HdrHistogram (cookies 0x1c849303, 0x1c849304).
#pragma once

#include <string>

#include "histogram/histogram.hpp"

namespace stallscope::histogram {

// The bytes before compression: 40 of header, then the counters up to the last that is not zero.
std::string encode_plain(const histogram& counted);

// Compressed with zlib, behind a header of 8 bytes, in base64: what an interval log's line holds.
// Throws std::runtime_error where zlib has no memory.
std::string encode_base64(const histogram& counted);

}  // namespace stallscope::histogram
