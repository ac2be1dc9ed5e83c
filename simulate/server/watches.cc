#include "simulate/server/watches.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/serialize.hpp>

namespace podium::simulate {
namespace {

using namespace std::chrono_literals;

constexpr auto kTick = 1s;

bool is_of(const Key& key, const Watch& watch) {
  return key.plural == watch.plural && (watch.ns.empty() || key.ns == watch.ns);
}

}  // namespace

// The API server's bookmarks come once a minute. Half of the lives have more of them, so that their watches
// last longer.
Watches::Watches(Store& store, Agenda& agenda, Dice dice)
    : store_(store), agenda_(agenda), dice_(dice), bookmarks_(dice_.one_in(2) ? 60 : 20) {
  store_.on_commit([this](const Commit& commit) { committed(commit); });
  agenda_.after(kTick, [this] { tick(); });
}

std::string Watches::line(const char* type, const std::string& object) {
  std::string out;
  out.reserve(object.size() + 32);
  out.append("{\"type\":\"").append(type).append("\",\"object\":").append(object).append("}\n");
  return out;
}

std::string Watches::bookmark(const Watch& watch, Version version, bool initial_events_end) {
  const auto* end = initial_events_end ? R"(,"annotations":{"k8s.io/initial-events-end":"true"})" : "";
  std::string object = R"({"kind":")";
  object.append(watch.plural).append(R"(","metadata":{"resourceVersion":")").append(std::to_string(version));
  object.append("\"").append(end).append("}}");
  return line("BOOKMARK", object);
}

std::string Watches::deletion(const Stored& last, Version version) {
  auto object = last.value;
  object.as_object()["metadata"].as_object()["resourceVersion"] = std::to_string(version);
  return line("DELETED", json::serialize(object));
}

std::shared_ptr<Watch> Watches::open(const Route& route, const RouteSelector& selector) {
  auto watch = std::make_shared<Watch>();
  watch->plural = route.plural;
  watch->ns = route.ns;
  watch->selector = selector;
  const auto timeout = route.parameter("timeoutSeconds");
  watch->ends_at = agenda_.now() + std::chrono::seconds(timeout.empty() ? 1800 : std::stoi(timeout));
  watch->bookmark_at = agenda_.now() + dice_.between(bookmarks_ / 2, bookmarks_);
  return watch;
}

void Watches::begin(const std::shared_ptr<Watch>& watch, const Route& route) {
  if (route.parameter("sendInitialEvents") == "true") {
    std::string list;
    for (const auto& object : store_.all(watch->plural, watch->ns)) {
      if (watch->selector.matches(object->value)) list += line("ADDED", object->text());
    }
    watch->seen = store_.version();
    watch->deliver(list + bookmark(*watch, watch->seen, true));
  } else {
    watch->seen = std::stoull(route.parameter("resourceVersion"));
    if (watch->seen < store_.compacted()) {
      watch->deliver(line(
          "ERROR", fmt::format(R"x({{"kind":"Status","apiVersion":"v1","status":"Failure","message":)x"
                               R"x("too old resource version: {} ({})","reason":"Expired","code":410}})x",
                               watch->seen, store_.compacted())));
      watch->closed = true;
      watch->ended();
      return;
    }
    const auto& history = store_.history(watch->plural);
    for (auto at = std::ranges::upper_bound(history, watch->seen, {}, &Commit::version); at != history.end();
         ++at)
      deliver(*watch, *at);
  }
  open_.push_back(watch);
}

void Watches::deliver(Watch& watch, const Commit& commit) {
  watch.seen = commit.version;
  if (!is_of(commit.key, watch)) return;
  const bool was = commit.before && watch.selector.matches(commit.before->value);
  const bool is = commit.type != Commit::Type::deleted && watch.selector.matches(commit.after->value);
  if (is) {
    watch.deliver(line(was ? "MODIFIED" : "ADDED", commit.after->text()));
  } else if (was) {
    watch.deliver(commit.type == Commit::Type::deleted ? line("DELETED", commit.after->text())
                                                       : deletion(*commit.before, commit.version));
  }
}

void Watches::committed(const Commit& commit) {
  // By index: the effects of a line may open another watch.
  for (std::size_t i = 0; i < open_.size(); ++i) {
    if (!open_[i]->closed) deliver(*open_[i], commit);
  }
}

void Watches::end(const std::shared_ptr<Watch>& watch) {
  if (std::exchange(watch->closed, true)) return;
  watch->ended();
}

void Watches::end_all() {
  for (const auto& watch : std::vector(open_)) end(watch);
}

void Watches::tick() {
  const auto now = agenda_.now();
  // A delivery is only scheduled here, so no other watch opens during the loop.
  for (const auto& watch : open_) {
    if (watch->closed) continue;
    if (now >= watch->ends_at) {
      end(watch);
    } else if (now >= watch->bookmark_at) {
      watch->bookmark_at = now + dice_.between(bookmarks_ - 2s, bookmarks_ + 2s);
      watch->deliver(bookmark(*watch, store_.version(), false));
    }
  }
  std::erase_if(open_, [](const auto& watch) { return watch->closed; });
  agenda_.after(kTick, [this] { tick(); });
}

}  // namespace podium::simulate
