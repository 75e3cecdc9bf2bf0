// The events that are counted together with the sampled one, in one group: each sample then holds
// the counts of all. Costs a trial open of the whole group.
#pragma once

#include <string>
#include <vector>

#include "collect/event_choice.hpp"
#include "collect/event_table.hpp"

namespace stallscope::collect {

// Finds the events asked for and tries them as one group with the event chosen; the choice then
// says that samples read their group. Where this kernel cannot inherit such a group (before Linux
// 6.13), it is tried without and a warning says what is missed. Throws failure where an event is
// unknown or the group is refused.
void choose_group(event_choice& choice, const collect_options& options);

// The attributes of the group's other events; none where there is no group.
group_attributes attributes_of(const event_choice& choice);

// What recording.json and counters.jsonl call the group's other events, in the order of opening.
std::vector<std::string> names_of_others(const event_choice& choice);

}  // namespace stallscope::collect
