#include "server/paths/replay_commands.hpp"

namespace stallscope::server {

void replay_commands::run_step(void* context, request_call& call) {
  auto& own = *static_cast<replay_commands*>(context);
  if (call.claimed || call.words.empty()) {
    return;
  }
  if (const auto* what = admit(call.words, own.client_, *call.reply); what != nullptr) {
    execution on{.keys = &own.keys_, .client = &own.client_, .server = &own};
    run(*what, on, call.words, *call.reply);
  }
}

}  // namespace stallscope::server
