#include "scheduler/cycle/unseen_bindings.h"

namespace podium::cycle {

void UnseenBindings::bound(const std::string& uid, Steady now) {
  ended(uid);
  bindings_.emplace(uid, Binding{.due = now + kPatience});
  due_.emplace(now + kPatience, uid);
}

void UnseenBindings::ended(std::string_view uid) {
  const auto it = bindings_.find(uid);
  if (it == bindings_.end()) return;
  if (it->second.due) due_.erase({*it->second.due, it->first});
  bindings_.erase(it);
}

std::optional<std::string> UnseenBindings::take(Steady now) {
  const auto next = next_read();
  if (!next || *next > now) return std::nullopt;
  auto uid = due_.extract(due_.begin()).value().second;
  bindings_.find(uid)->second.due.reset();
  ++reads_;
  return uid;
}

bool UnseenBindings::was_read(std::string_view uid) {
  --reads_;
  const auto it = bindings_.find(uid);
  return it != bindings_.end() && !it->second.due;
}

void UnseenBindings::read_again(std::string_view uid, Steady now) {
  const auto it = bindings_.find(uid);
  if (it == bindings_.end() || it->second.due) return;
  auto& [due, failures] = it->second;
  due = now + kPauses.after(++failures);
  due_.emplace(*due, it->first);
}

std::optional<Steady> UnseenBindings::next_read() const {
  if (due_.empty() || reads_ == kMaxReads) return std::nullopt;
  return due_.begin()->first;
}

}  // namespace podium::cycle
