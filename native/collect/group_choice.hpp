// The events that are counted in one group with the sampled event, so that each sample holds the
// counts of all. Costs one trial open of the whole group. One thread.
#pragma once

#include <string>
#include <vector>

#include "collect/event_choice.hpp"
#include "collect/event_table.hpp"

namespace stallscope::collect {

// Looks up the events of --with and --leader, tries them as one group with the sampled event, and
// sets read_group in the choice. If the kernel cannot inherit such a group (before Linux 6.13), the
// group is tried without inheritance and a warning names what is missed. Throws failure if an event
// is unknown or the kernel refuses the group.
void choose_group(event_choice& choice, const collect_options& options);

// The attributes of the group's other events; none without a group.
group_attributes attributes_of(const event_choice& choice);

// The names of the group's other events in recording.json and counters.jsonl, in the order of
// opening.
std::vector<std::string> names_of_others(const event_choice& choice);

}  // namespace stallscope::collect
