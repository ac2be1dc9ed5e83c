// The batches of changes that a Reflector hands over: their memory and their size.
#include <gtest/gtest.h>

#include <span>

#include "base/clock.h"
#include "base/random.h"
#include "unit/client/reflector_fixture.h"

namespace podium::client::reflector_test {
namespace {

// Keeps the first object's name, as a view or of a clone, and reads it in the next batch.
class Keeper final : public ReflectorHandler {
 public:
  explicit Keeper(bool clones) : clones_(clones) {}
  void changed(std::span<const Change> changes) override {
    if (!kept_.empty()) {
      seen = std::string(kept_);
      reflector->stop();
      return;
    }
    if (clones_) clone_ = changes[0].object.clone();
    const auto& object = clones_ ? clone_ : changes[0].object.view();
    kept_ = std::string_view(object.at("metadata").at("name").as_string());
  }
  void synced() override {}
  Reflector* reflector = nullptr;
  std::string seen;

 private:
  const bool clones_;
  json::value clone_;
  std::string_view kept_;
};

std::string seen_by_a_keeper(bool clones) {
  Script run;
  run.streams = {{200, {event("ADDED", "first", "1", 5), event("ADDED", "second", "2", 6)}, End::hang}};
  Keeper keeper(clones);
  Api api(run.transport, system_clock(), system_random());
  Reflector reflector(api, run.options, keeper);
  keeper.reflector = &reflector;
  asio::io_context context;
  asio::co_spawn(context, reflector.run(), asio::detached);
  context.run();
  return keeper.seen;
}

TEST(Reflector, ACloneOfAnObjectMayBeKept) { EXPECT_EQ(seen_by_a_keeper(true), "first"); }

#if defined(__SANITIZE_ADDRESS__)
TEST(ReflectorDeathTest, AnObjectThatIsKeptIsReported) {
  EXPECT_DEATH(seen_by_a_keeper(false), "AddressSanitizer: use-after-poison");
}
#endif

TEST(Reflector, ABatchThatIsLargeComesInParts) {
  Script run;
  std::string all;
  for (int i = 0; i < 1000; ++i) all += event("ADDED", fmt::format("p{}", i), "u", i + 1);
  run.streams = {{200, {all + bookmark(1000, true)}, End::hang}};
  run.go("synced");
  EXPECT_EQ(run.diary.entries.size(), 1001u);
  EXPECT_EQ(run.counts.changes, 1000u);
}

TEST(Reflector, BatchesThatOutgrowTheirFirstBlockGiveItBack) {
  Script run;
  const std::string filler(200'000, 'x');
  run.streams = {{200, {bookmark(9, true)}, End::hang}};
  for (int i = 0; i < 100; ++i) {
    run.streams[0].pieces.push_back(fmt::format(
        R"({{"type":"ADDED","object":{{"metadata":{{"name":"p{}","uid":"u","resourceVersion":"{}"}},"x":["{}"]}}}})"
        "\n",
        i, i + 10, filler));
  }
  run.go("+p99/u");
  EXPECT_EQ(run.counts.changes, 100u);
}

}  // namespace
}  // namespace podium::client::reflector_test
