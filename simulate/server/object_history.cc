#include "simulate/server/object_history.h"

#include "simulate/server/cpu_requests.h"

namespace podium::simulate {

void History::committed(const Commit& commit) {
  if (commit.key.plural != plural_) return;
  const auto uid = uid_of(commit.after->value);
  if (commit.type == Commit::Type::deleted) {
    versions_.erase(uid);
    return;
  }
  versions_[uid].emplace_back(commit.version, commit.after);
}

void History::read(const std::string& engine, std::string_view objects, Steady now) {
  static constexpr std::string_view kUid = R"("uid":")", kVersion = R"("resourceVersion":")";
  for (auto at = find_words(objects, kUid); at != objects.npos;) {
    const auto begin = at + kUid.size();
    at = find_words(objects, kUid, begin);
    const auto object = objects.substr(begin, at == objects.npos ? at : at - begin);
    const auto version = find_words(object, kVersion);
    if (version == object.npos) continue;
    const auto uid = std::string(object.substr(0, object.find('"')));
    const auto number = object.substr(version + kVersion.size());
    auto& known = read_[engine + uid];
    const auto seen = std::stoull(std::string(number.substr(0, number.find('"'))));
    if (known.empty() || known.back().second < seen) known.emplace_back(now, seen);
  }
}

std::vector<StoredPtr> History::possible(const std::string& uid, const std::string& engine,
                                         Steady decided) const {
  return from(last_version(uid, engine, decided), uid);
}

std::vector<StoredPtr> History::possible_of_placed(const std::string& uid, const std::string& engine,
                                                   Steady decided) const {
  const auto last = last_version(uid, engine, decided);
  auto out = from(last, uid);
  const bool is_assumed = !out.empty() && text_at(out.front()->value, "/spec/nodeName").empty();
  return is_assumed ? from(0, uid) : out;
}

Version History::last_version(const std::string& uid, const std::string& engine, Steady decided) const {
  Version last = 0;
  if (const auto it = read_.find(engine + uid); it != read_.end()) {
    for (const auto& [when, version] : it->second) {
      if (when <= decided) last = version;
    }
  }
  return last;
}

std::vector<StoredPtr> History::from(Version least, const std::string& uid) const {
  std::vector<StoredPtr> out;
  const auto it = versions_.find(uid);
  if (it == versions_.end()) return out;
  for (const auto& [version, object] : it->second) {
    if (version >= least) out.push_back(object);
  }
  return out;
}

}  // namespace podium::simulate
