// Formats rules in the notation of readelf --debug-dump=frames-interp: "rsp+16 rbp=c-16 ra=c-8".
// Any thread may call it.
#pragma once

#include <cstdint>
#include <string>

#include "unwind/table_content.hpp"

namespace stallscope::unwind {

std::string text_of(const table_reader::content& content, const rule& row_rule);

// Formats the rule at an address; empty if there is no rule.
std::string rule_at(const table& known, std::uint64_t address);

}  // namespace stallscope::unwind
