// ReflectorState and KnownObjects against a model of an API server, step by step from a seed. Objects are
// created, changed and deleted, and enter and leave the selector. Streams are refused, cut, replayed and
// reordered, and lose events. Lists take several requests, bookmarks are lost, history is compacted, etcd is
// restored, some objects cannot be parsed. The changes dispatched must be consistent at every step, and after
// the faults the handler must know exactly what the server has.
//
// Repeats the steps of client/watch/reflector.cc without the bytes. PODIUM_TEST_SEED and PODIUM_STEPS repeat
// or vary a run.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include "client/watch/known_objects.h"
#include "client/watch/reflector_state.h"
#include "unit/client/doubles.h"
#include "unit/client/model_server.h"
#include "unit/support/seed.h"

namespace podium::client::reflector_model_test {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;
using Kind = ReflectorState::Action::Kind;
using unit::Dice;
using unit::Event;
using unit::ModelServer;
using unit::Version;

// Nested too deeply, say, in this version.
bool is_readable(Version version) { return version % 13 != 0; }

json::value object_of(const Event& event) {
  return {{"metadata",
           {{"name", event.name}, {"uid", event.uid}, {"resourceVersion", std::to_string(event.version)}}}};
}

// Checks the dispatched changes against Reflector's guarantees.
class Handler {
 public:
  void changed(std::vector<Change>& changes) {
    for (const auto& change : changes) {
      const auto& meta = change.object.view().at("metadata").as_object();
      const std::string name(meta.at("name").as_string()), uid(meta.at("uid").as_string());
      const auto version = version_number(meta.at("resourceVersion").as_string());
      const auto it = objects.find(name);
      EXPECT_EQ(change.type == Change::Type::unreadable, !is_readable(version) && !deleted(change)) << name;
      if (change.type == Change::Type::unreadable) {
        objects.erase(name);
        unreadable[name] = uid;
        continue;
      }
      const bool was_unreadable = unreadable.contains(name);
      if (was_unreadable) {
        EXPECT_EQ(unreadable[name], uid);
      }
      unreadable.erase(name);
      if (change.type == Change::Type::added) {
        EXPECT_TRUE(it == objects.end()) << name << " is added, and there";
      } else if (was_unreadable) {
        EXPECT_TRUE(deleted(change)) << name << " was never added";
        continue;
      } else {
        ASSERT_TRUE(it != objects.end()) << name << " is not there";
        EXPECT_EQ(it->second.first, uid) << name;
      }
      if (change.type == Change::Type::deleted) {
        objects.erase(it);
      } else {
        objects[name] = {uid, version};
      }
    }
    changes.clear();
  }
  static bool deleted(const Change& change) { return change.type == Change::Type::deleted; }
  ModelServer::Objects objects;
  std::map<std::string, std::string> unreadable;  // by name: UID
};

struct Counts {
  int lists = 0, watches = 0, cuts = 0, replays = 0, swaps = 0, losses = 0, gone = 0, restores = 0,
      silences = 0, healed = 0;
};

// The reflector's loop with the server's answers, one action a step.
class World {
 public:
  explicit World(std::uint64_t seed)
      : dice(seed), server(dice), state({.streaming_list = !dice.one_in(3)}, dice) {}

  void step() {
    if (faults && !frozen && dice.one_in(2)) server.write();
    if (faults && dice.one_in(400)) server.compact();
    if (faults && dice.one_in(150)) server.snapshot();
    if (faults && dice.one_in(500) && server.restore()) restored();
    clock.advance(std::chrono::milliseconds(dice.below(50)));
    const auto action = state.next(clock.now());
    switch (action.kind) {
      case Kind::stream_list:
        return open_list(action.replace);
      case Kind::list:
        return list(action);
      case Kind::probe:
        return probe();
      case Kind::watch:
        return watch(version_number(action.resource_version));
      case Kind::read:
        return read();
      case Kind::wait:
        clock.advance(action.delay);
        return state.waited();
    }
  }

  // The faults are over. Lost events, such as a DELETE, are repaired by the relist that is due with time.
  void settle() {
    faults = frozen = false;
    for (int i = 0; i < 10'000 && !(quiet() && !lost); ++i) {
      if (quiet()) {
        clock.advance(5min);
        if (state.next(clock.now()).kind != Kind::read) ++counts.healed;
      } else {
        step();
      }
    }
    EXPECT_TRUE(quiet()) << "it never comes to rest";
    EXPECT_FALSE(lost) << "it never lists again";
  }
  // The server's objects that the handler can parse.
  ModelServer::Objects readable() const {
    auto objects = server.objects();
    std::erase_if(objects, [](const auto& object) { return !is_readable(object.second.second); });
    return objects;
  }
  void resume() { faults = true; }
  bool quiet() {
    return state.next(clock.now()).kind == Kind::read && !state.listing() && stream.empty() && !held &&
           position >= server.version();
  }

  Dice dice;
  ModelServer server;
  ReflectorState state;
  KnownObjects known;
  Handler handler;
  Counts counts;
  bool lost = false;  // the wire has lost events since the last list

 private:
  void fail(int code) {
    Error error{.kind = Error::Kind::status, .status = {.code = code}};
    if (code == 0) error.kind = Error::Kind::unavailable;
    held.reset();
    state.failed(error, clock.now());
  }
  bool fault(std::uint64_t one_in) { return faults && dice.one_in(one_in); }
  bool refuses() {
    if (!fault(8)) return false;
    constexpr int codes[] = {0, 429, 500, 503, 410, 504};
    fail(codes[dice.below(std::size(codes))]);
    return true;
  }

  // No writes until the client has seen that versions went back; it cannot detect that once they catch up.
  void restored() {
    ++counts.restores;
    frozen = true;
    stream_cut = true;
  }

  void begin(Version from) {
    position = from;
    stream.clear();
    held.reset();
    stream_cut = false;
    state.opened(clock.now());
  }

  void open_list(bool replace) {
    if (refuses()) return;
    if (fault(10)) return fail(422);
    known.begin_list(replace);
    begin(server.version());
    initial.clear();
    for (const auto& [name, object] : server.objects()) {
      initial.push_back({Event::Type::upsert, name, object.first, object.second});
    }
    std::shuffle(initial.begin(), initial.end(), std::mt19937_64(dice.next()));
    end_lost = fault(10);
    end_sent = false;
  }

  void watch(Version from) {
    ++counts.watches;
    if (refuses()) return;
    if (!server.has(from)) {
      ++counts.gone;
      return fail(410);
    }
    begin(from);
    initial.clear();
    end_sent = true;
  }

  // A LIST of a few pages, of one version, while the server continues.
  void list(const ReflectorState::Action& action) {
    known.begin_list(action.replace);
    const auto objects = server.objects();
    const auto version = server.version();
    std::size_t shown = 0;
    for (const auto& [name, object] : objects) {
      if (shown++ % 4 == 0) {
        if (refuses()) return;
        if (shown > 1 && action.limit > 0 && fault(10)) return fail(410);
        state.event(std::to_string(version));
      }
      if (faults && !frozen && dice.one_in(3)) server.write();
      apply({Event::Type::upsert, name, object.first, object.second});
    }
    if (state.listed(std::to_string(version), clock.now())) complete_list(version);
  }

  void complete_list(Version version) {
    known.end_list(std::to_string(version), changes);
    handler.changed(changes);
    EXPECT_EQ(state.resource_version(), std::to_string(version));
    ++counts.lists;
    lost = false;
    frozen = false;
  }

  void probe() {
    if (refuses()) return;
    state.probed(std::to_string(server.version()), clock.now());
  }

  void read() {
    const auto deadline = state.list_deadline();
    if (deadline && clock.now() >= *deadline) return state.silent();
    if (fault(60)) stream_cut = true;
    if (stream_cut) {
      ++counts.cuts;
      lost = lost || held;
      held.reset();
      return state.ended(clock.now());
    }
    if (fault(200)) {
      ++counts.gone;
      lost = lost || held;
      return fail(410);
    }
    if (!initial.empty()) {
      apply_event(initial.back());
      initial.pop_back();
      return;
    }
    if (!end_sent) {
      if (end_lost) return stall();
      if (!fault(3)) return bookmark(true);  // or events come first
    } else if (fault(10) && replay()) {
      return;
    }
    next_event();
  }

  void stall() {
    ++counts.silences;
    clock.advance(1s);
  }

  void bookmark(bool end) {
    // A held event must not follow a bookmark of a later version.
    if (held) return release();
    switch (state.bookmark(std::to_string(position), end, clock.now())) {
      case ReflectorState::Bookmark::listed:
        end_sent = true;
        return complete_list(position);
      case ReflectorState::Bookmark::progress:
        return;
      case ReflectorState::Bookmark::regressed:
        stream.clear();
        return;
    }
  }

  // Resends an event: a recent one, or any.
  bool replay() {
    std::size_t sent = 0;
    const auto& history = server.history();
    while (sent < history.size() && history[sent].version <= position) ++sent;
    if (sent == 0) return false;
    ++counts.replays;
    const auto back = dice.below(dice.one_in(2) ? sent : std::min<std::size_t>(sent, 20));
    apply_event(history[sent - 1 - back]);
    return true;
  }

  void next_event() {
    if (stream.empty()) {
      const auto news = server.after(position);
      stream.assign(news.begin(), news.end());
    }
    if (stream.empty()) {
      if (held) return release();
      if (end_sent && position < server.version()) {  // what happened was out of the selector
        position = server.version();
        return bookmark(false);
      }
      if (fault(20)) {
        ++counts.silences;
        return state.silent();
      }
      if (!end_sent && !end_lost) bookmark(true);
      return;
    }
    auto event = stream.front();
    stream.pop_front();
    position = event.version;
    if (end_sent && fault(40)) {
      ++counts.losses;
      lost = true;
      return;
    }
    if (end_sent && !held && fault(15)) {
      ++counts.swaps;
      held = std::move(event);
      return;
    }
    apply_event(event);
    if (held) release();
    if (end_sent && fault(10)) bookmark(false);
  }

  void release() {
    const auto event = std::move(*held);
    held.reset();
    apply_event(event);
  }

  void apply_event(const Event& event) {
    if (event.type == Event::Type::upsert) state.added(clock.now());
    apply(event);
    state.event(std::to_string(event.version));
  }

  void apply(const Event& event) {
    auto object = object_of(event);
    if (event.type == Event::Type::upsert) {
      EXPECT_TRUE(known.upsert(object, changes, is_readable(event.version)));
    } else {
      EXPECT_TRUE(known.remove(object, changes));
    }
    handler.changed(changes);
  }

  unit::ManualClock clock;
  bool faults = true, frozen = false;
  // The open stream: the list's objects that are still to come, then events from `position` on.
  std::vector<Event> initial;
  std::deque<Event> stream;
  std::optional<Event> held;  // swapped with the next one
  Version position = 0;
  bool end_sent = false, end_lost = false, stream_cut = false;
  std::vector<Change> changes;
};

std::uint64_t steps_of_each() {
  const char* text = std::getenv("PODIUM_STEPS");
  return text ? std::strtoull(text, nullptr, 10) : 3'000;
}

TEST(ReflectorModel, KnowsWhatTheServerHasWhenTheFaultsAreOver) {
  const auto first = podium::test::drawn_seed();
  constexpr auto worlds = 40;
  const auto steps = steps_of_each();
  Counts sum;
  for (auto seed = first; seed < first + worlds && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_SEED(seed);
    World world(seed);
    for (std::uint64_t step = 0; step < steps && !::testing::Test::HasFatalFailure(); ++step) {
      world.step();
      if (step % 50 != 49) continue;
      SCOPED_TRACE(fmt::format("step {}", step));
      world.settle();
      EXPECT_EQ(world.handler.objects, world.readable());
      EXPECT_EQ(world.handler.unreadable.size(), world.known.size() - world.handler.objects.size());
      EXPECT_EQ(world.known.size(), world.server.objects().size());
      if (::testing::Test::HasFailure()) break;
      world.resume();
    }
    sum.lists += world.counts.lists;
    sum.watches += world.counts.watches;
    sum.cuts += world.counts.cuts;
    sum.replays += world.counts.replays;
    sum.swaps += world.counts.swaps;
    sum.losses += world.counts.losses;
    sum.gone += world.counts.gone;
    sum.restores += world.counts.restores;
    sum.silences += world.counts.silences;
    sum.healed += world.counts.healed;
  }
  std::cout << fmt::format(
      "lists {} watches {} cuts {} replays {} swaps {} losses {} gone {} restores {} silences {} healed {}\n",
      sum.lists, sum.watches, sum.cuts, sum.replays, sum.swaps, sum.losses, sum.gone, sum.restores,
      sum.silences, sum.healed);
  // Every kind of fault has occurred; otherwise the test would prove nothing.
  for (const int count : {sum.lists, sum.watches, sum.cuts, sum.replays, sum.swaps, sum.losses, sum.gone,
                          sum.restores, sum.silences, sum.healed}) {
    if (worlds > 1) {
      EXPECT_GT(count, 0);
    }
  }
}

}  // namespace
}  // namespace podium::client::reflector_model_test
