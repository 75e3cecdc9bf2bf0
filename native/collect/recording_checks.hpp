// Warnings about a finished recording: whether samples and counter agree, whether the event was
// counted all the time, and whether programs of other users are missing. Pure computation. Any
// thread.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>

#include "collect/recording_document.hpp"

namespace stallscope::collect {

// If event and counter both count time, samples and losses must add up to the counter.
std::optional<warning> check_against_counter(const recording_facts& facts);

// Compares the counted time with the enabled time, which other programs' use of the CPU's counters
// reduces. The events of a thread are enabled on `places` CPUs, but only one of them runs at a
// time; for whole CPUs, `places` is 1.
std::optional<warning> check_counter_was_shared(const recording_facts& facts, std::size_t places);

// The samples of a process end if it starts a program as another user.
std::optional<warning> check_programs_of_others(const std::set<std::string>& programs);

}  // namespace stallscope::collect
