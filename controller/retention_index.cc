#include "controller/retention_index.h"

namespace podium::controller {
namespace {

std::string key_of(const std::string& ns, const std::string& name) { return ns + '/' + name; }

}  // namespace

void RetentionIndex::track(const Report& report) {
  put(*reports_.try_emplace(key_of(report.ns, report.name)).first, report);
}

bool RetentionIndex::saw(const std::string& ns, const std::string& name, const std::string& uid) {
  const auto it = reports_.find(key_of(ns, name));
  if (it == reports_.end() || it->second.uid != uid) return false;
  it->second.list = list_;
  return true;
}

bool RetentionIndex::forget(const std::string& ns, const std::string& name, const std::string& uid) {
  const auto it = reports_.find(key_of(ns, name));
  if (it == reports_.end() || (!uid.empty() && it->second.uid != uid)) return false;
  remove_entry(*it);
  reports_.erase(it);
  return true;
}

std::size_t RetentionIndex::end_list() {
  const auto before = reports_.size();
  for (auto it = reports_.begin(); it != reports_.end();) {
    if (it->second.list == list_) {
      ++it;
    } else {
      remove_entry(*it);
      it = reports_.erase(it);
    }
  }
  return before - reports_.size();
}

std::vector<RetentionIndex::Report> RetentionIndex::take_due(Steady now, std::size_t most) {
  std::vector<Report> out;
  while (out.size() < most) {
    std::set<DueEntry>* earliest = nullptr;
    for (auto& entries : by_due_) {
      if (entries.empty() || entries.begin()->first > now) continue;
      if (!earliest || entries.begin()->first < earliest->begin()->first) earliest = &entries;
    }
    if (!earliest) break;
    out.push_back(take(*earliest));
  }
  return out;
}

std::vector<RetentionIndex::Report> RetentionIndex::take_earliest_decisions(std::size_t most) {
  std::vector<Report> out;
  auto& decisions = by_due_[static_cast<std::size_t>(ReportKind::decision)];
  while (out.size() < most && !decisions.empty()) out.push_back(take(decisions));
  return out;
}

bool RetentionIndex::is_taken(const std::string& ns, const std::string& name, const std::string& uid) const {
  const auto it = reports_.find(key_of(ns, name));
  return it != reports_.end() && it->second.uid == uid && it->second.taken;
}

std::optional<Steady> RetentionIndex::next_due() const {
  std::optional<Steady> next;
  for (const auto& entries : by_due_) {
    if (!entries.empty() && (!next || entries.begin()->first < *next)) next = entries.begin()->first;
  }
  return next;
}

void RetentionIndex::put(Entries::value_type& slot, const Report& report) {
  if (!slot.second.uid.empty()) remove_entry(slot);
  slot.second = {report.uid, report.due, list_, report.kind, report.look, false};
  const auto kind = static_cast<std::size_t>(report.kind);
  by_due_[kind].emplace(report.due, &slot);
  ++counts_[kind];
}

void RetentionIndex::remove_entry(const Entries::value_type& slot) {
  const auto kind = static_cast<std::size_t>(slot.second.kind);
  if (!slot.second.taken) by_due_[kind].erase({slot.second.due, &slot});
  --counts_[kind];
}

RetentionIndex::Report RetentionIndex::take(std::set<DueEntry>& from) {
  const auto* slot = from.begin()->second;
  from.erase(from.begin());
  auto& entry = reports_.find(slot->first)->second;
  entry.taken = true;
  const auto slash = slot->first.find('/');
  return {slot->first.substr(0, slash),
          slot->first.substr(slash + 1),
          entry.uid,
          entry.due,
          entry.kind,
          entry.look};
}

}  // namespace podium::controller
