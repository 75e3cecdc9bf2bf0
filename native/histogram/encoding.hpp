// HdrHistogram's "V2" encoding of a histogram, for exchange with other implementations: a header,
// then the counters as variable-length numbers with runs of zeros as negative numbers. Costs about
// 0.3 ms if the latencies span a factor of ten, mostly in zlib. Any thread.
//
//   file << encode_base64(values);
//
// Source: AbstractHistogram and ZigZagEncoding of HdrHistogram (cookies 0x1c849303, 0x1c849304).
#pragma once

#include <string>

#include "histogram/histogram.hpp"

namespace stallscope::histogram {

// Returns the uncompressed form: a header of 40 bytes, then the counters up to the last nonzero.
std::string encode_plain(const histogram& values);

// Returns the form used in interval logs: a header of 8 bytes and the zlib-compressed plain form,
// in base64. Throws std::runtime_error if zlib runs out of memory.
std::string encode_base64(const histogram& values);

}  // namespace stallscope::histogram
