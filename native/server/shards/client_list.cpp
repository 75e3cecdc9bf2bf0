#include "server/shards/client_list.hpp"

namespace stallscope::server {

void client_list::add(const session& client, std::string address) {
  const std::scoped_lock held(mutex_);
  clients_[client.id] = {std::move(address), std::chrono::steady_clock::now(), client};
}

void client_list::update(const session& client) {
  const std::scoped_lock held(mutex_);
  const auto entry = clients_.find(client.id);
  if (entry != clients_.end()) entry->second.last_seen = client;
}

void client_list::remove(std::uint64_t id) {
  const std::scoped_lock held(mutex_);
  clients_.erase(id);
}

std::string client_list::line(std::uint64_t id) const {
  const std::scoped_lock held(mutex_);
  const auto entry = clients_.find(id);
  return entry == clients_.end() ? std::string{} : line_of(entry->second);
}

std::string client_list::lines() const {
  const std::scoped_lock held(mutex_);
  std::string all;
  for (const auto& [id, client] : clients_) all += line_of(client);
  return all;
}

std::string client_list::line_of(const known_client& client) {
  const auto age = std::chrono::duration_cast<std::chrono::seconds>(
      std::chrono::steady_clock::now() - client.since);
  const session& seen = client.last_seen;
  return "id=" + std::to_string(seen.id) + " addr=" + client.address + " name=" + seen.name +
         " age=" + std::to_string(age.count()) +
         " db=0 user=default lib-name=" + seen.library_name + " lib-ver=" + seen.library_version +
         " resp=" + std::to_string(static_cast<int>(seen.version)) + "\n";
}

}  // namespace stallscope::server
