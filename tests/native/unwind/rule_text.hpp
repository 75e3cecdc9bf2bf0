// Rules in the words of readelf --debug-dump=frames-interp: "rsp+16 rbp=c-16 ra=c-8".
#pragma once

#include <cstdint>
#include <string>

#include "unwind/table_content.hpp"

namespace stallscope::unwind {

std::string text_of(const table_reader::content& content, const rule& each);

// Of the rule in force at an address; empty where nothing is known.
std::string rule_at(const table& known, std::uint64_t address);

}  // namespace stallscope::unwind
