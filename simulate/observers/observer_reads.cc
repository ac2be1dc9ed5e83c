// What engines read, by a watch or by a list, for the observers that ask for it.
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "simulate/cluster/budgets.h"
#include "simulate/cluster/volumes.h"
#include "simulate/observers/observer.h"

namespace podium::simulate {

void Observer::reads_always() {
  readers_["pods"] = [this](const std::string& engine, std::string_view objects) {
    read_pods(engine, objects);
  };
  readers_["resourceclaims"] = [this](const std::string& engine, std::string_view objects) {
    read_claims(engine, objects);
  };
}

void Observer::has_neighbours() {
  neighbours_.emplace(store_, agenda_);
  budgets_.emplace(store_, agenda_);
  readers_["nodes"] = [this](const std::string& engine, std::string_view objects) {
    neighbours_->read_nodes(engine, objects);
  };
  readers_[std::string(kBudgets)] = [this](const std::string& engine, std::string_view objects) {
    budgets_->read(engine, objects);
  };
}

void Observer::has_volumes() {
  volumes_.emplace(store_, agenda_);
  for (const auto kind : {kVolumeClaims, kVolumes, kNodeDrivers, std::string_view("nodes")}) {
    readers_[std::string(kind)] = [this, kind](const std::string& engine, std::string_view objects) {
      volumes_->read(engine, kind, objects);
    };
  }
}

void Observer::read(const Host& host, const std::string& plural, std::string_view objects) {
  const auto reader = readers_.find(plural);
  if (reader != readers_.end()) reader->second(host.identity, objects);
}

void Observer::read_pods(const std::string& engine, std::string_view objects) {
  if (neighbours_) neighbours_->read(engine, objects);
  static constexpr std::string_view kUid = R"("uid":")", kNode = R"("nodeName":")";
  for (auto at = find_words(objects, kUid); at != objects.npos;) {
    const auto begin = at + kUid.size();
    at = find_words(objects, kUid, begin);
    const auto object = objects.substr(begin, at == objects.npos ? at : at - begin);
    if (find_words(object, kNode) == object.npos) continue;
    const auto uid = std::string(object.substr(0, object.find('"')));
    known_bound_.try_emplace(engine + uid, agenda_.now());
    if (neighbours_) neighbours_->read_placed(engine, uid);
  }
}

// The lines of a watch, or a page of a list.
void Observer::read_claims(const std::string& engine, std::string_view objects) {
  if (objects.starts_with(R"({"type":)")) return claims_.read(engine, objects);
  boost::system::error_code failure;
  const auto page = json::parse(objects, failure);
  const auto* items = failure ? nullptr : find_at(page, "/items");
  if (!items) return;
  for (const auto& item : items->as_array()) claims_.read(engine, json::serialize(item));
}

// podium processes a list page by page: what it decides before the last page, it decides on those that it has
// (4304372).
void Observer::read_list(const std::string& engine, const std::string& plural, std::string_view page) {
  const auto reader = readers_.find(plural);
  if (reader != readers_.end()) reader->second(engine, page);
}

}  // namespace podium::simulate
