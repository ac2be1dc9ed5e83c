// A report that was written since Retention knows of it lives for its TTL from that write.
#include <boost/json/parse.hpp>

#include "unit/controller/retention/keeping.h"

namespace podium::controller::retention_test {
namespace {

const json::value kNoted{{"podium.dev/ttl", "100"}};

// The preconditions of each deletion.
std::vector<std::pair<std::string, std::string>> preconditions(const Keeping& k) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& request : k.server.transport->requests()) {
    if (request.method != "DELETE") continue;
    const auto body = json::parse(request.body);
    out.emplace_back(ObjectServer::text(body, "/preconditions/uid"),
                     ObjectServer::text(body, "/preconditions/resourceVersion"));
  }
  return out;
}

TEST(Rewritten, AReportIsDeletedAsItIsKnown) {
  Keeping k;
  k.keep("listed", 0s, kNoted);
  const auto listed = ObjectServer::text(k.report("listed"), "/metadata/resourceVersion");
  k.run_until([&] { return k.retention.size() == 1; });
  k.keep("written", 0s, kNoted);
  const auto written = ObjectServer::text(k.report("written"), "/metadata/resourceVersion");
  k.clock.advance(1s);
  k.track_stored("written", 100s);
  k.clock.advance(100s);
  k.run_until([&] { return k.retention.deleted() == 2; });
  EXPECT_EQ(preconditions(k), (std::vector<std::pair<std::string, std::string>>{
                                  {"uid-of-listed", listed}, {"uid-of-written", written}}));
}

// The leader before rewrote it by a request that was carried out after this one had listed all.
TEST(Rewritten, ALateRequestOfTheLeaderBeforeIsNoticedBeforeTheDeletion) {
  Keeping k;
  k.keep("it", 0s, kNoted);
  k.run_until([&] { return k.retention.size() == 1; });
  k.clock.advance(60s);
  k.write_again("it");
  k.clock.advance(40s);
  k.run_until([&] { return k.deletes().size() == 1; });
  k.clock.advance(59s);
  k.run_on();
  EXPECT_EQ(k.deletes().size(), 1u) << "the one that its resourceVersion refused";
  EXPECT_EQ(k.names(), Lines{"it"});
  k.clock.advance(1s);
  k.run_until([&] { return k.retention.deleted() == 1; });
  EXPECT_EQ(k.names(), Lines{});
  EXPECT_EQ(k.retention.size(), 0u);
}

// Its author changed it right before it was due: it is asked again.
TEST(Rewritten, AWhatIfLivesOnAsWell) {
  Keeping k;
  k.keep("it", 0s, json::object(), {{"dryRun", true}, {"ttlSeconds", 100}});
  k.run_until([&] { return k.retention.size() == 1; });
  k.track_stored("it", 100s, ReportKind::question);
  k.clock.advance(99s);
  k.write_again("it");
  k.clock.advance(1s);
  k.run_until([&] { return k.deletes().size() == 1; });
  k.clock.advance(98s);
  k.run_on();
  EXPECT_EQ(k.names(), Lines{"it"});
  k.clock.advance(1s);
  k.run_until([&] { return k.retention.deleted() == 1; });
}

TEST(Rewritten, TheNextListAlsoShows) {
  auto options = fast();
  options.relist = 60s;
  Keeping k(options);
  k.keep("it", 0s, kNoted);
  k.run_until([&] { return k.retention.size() == 1; });
  k.clock.advance(59s);
  k.write_again("it");
  const auto before = k.server.requests("GET").size();
  k.clock.advance(1s);
  k.run_until([&] { return k.server.requests("GET").size() == before + 2; });
  k.clock.advance(50s);
  k.run_on();
  EXPECT_EQ(k.deletes(), Lines{}) << "it is not even tried";
  k.clock.advance(49s);
  k.run_until([&] { return k.retention.deleted() == 1; });
  EXPECT_EQ(k.deletes().size(), 1u);
}

// Else a client could keep it by writing it repeatedly, and exceed the budget.
TEST(Rewritten, OneThatMakesRoomGoesNevertheless) {
  auto options = fast();
  options.limits = {{1, 1u << 30}, {1, 1u << 30}};
  Keeping k(options);
  k.keep("it", 10s, kNoted);
  k.run_until([&] { return k.retention.size() == 1; });
  k.write_again("it");
  k.keep("newer", 0s, kNoted);
  k.clock.advance(1s);
  k.track_stored("newer", 100s);
  k.run_until([&] { return k.retention.deleted_early() == 1; });
  EXPECT_EQ(k.names(), Lines{"newer"});
  EXPECT_EQ(preconditions(k), (std::vector<std::pair<std::string, std::string>>{{"uid-of-it", ""}}));
}

// A late request changed its status only, so that its label is the old one.
TEST(Rewritten, ADeletionByLabelSparesItAndTheOthersGo) {
  Minute k(100);
  auto object = k.report("r0007");
  object.at("metadata").at("annotations") = {{"podium.dev/ttl", "3600"}};
  k.server.put(kPlural, object);
  k.run_until([&] { return k.retention.size() == 100; });
  k.clock.advance(30min);
  k.write_again("r0007");
  k.clock.advance(32min);
  k.run_until([&] { return k.retention.deleted() == 99; });
  EXPECT_EQ(k.names(), Lines{"r0007"});
  EXPECT_EQ(k.deletes().size(), 99u) << "one by one";
  k.clock.advance(27min);
  k.run_on();
  EXPECT_EQ(k.names(), Lines{"r0007"});
  k.clock.advance(3min);
  k.run_until([&] { return k.retention.deleted() == 100; });
}

// Reports that this engine has written are as it knows them.
TEST(Rewritten, OnlyWhatOthersMayHaveWrittenIsReadBeforeADeletionByLabel) {
  for (const bool own : {false, true}) {
    SCOPED_TRACE(own);
    Minute k(100);
    k.run_until([&] { return k.retention.size() == 100; });
    const auto label = ObjectServer::text(k.report("r0000"), "/metadata/labels/podium.dev~1expires");
    for (int i = 0; i < 100 && own; ++i) {
      const auto name = fmt::format("r{:04}", i);
      const StoredReport facts{.minute = minute_of(label),
                               .version = ObjectServer::text(k.report(name), "/metadata/resourceVersion")};
      k.retention.track("shop", name, "uid-of-" + name, 1h, ReportKind::decision, k.clock.wall(), facts);
    }
    k.clock.advance(62min);
    k.run_until([&] { return k.retention.deleted() == 100; });
    int read = 0;
    for (const auto& request : k.server.transport->requests())
      read += request.method == "GET" && request.target.find("labelSelector") != std::string::npos ? 1 : 0;
    EXPECT_EQ(read, own ? 0 : 1);
    EXPECT_EQ(k.server.requests("DELETE").size(), 1u);
  }
}

// Without an answer to that list, nothing is deleted by label.
TEST(Rewritten, WhereTheListOfALabelFailsTheyGoOneByOne) {
  Minute k(100);
  k.run_until([&] { return k.retention.size() == 100; });
  k.server.on_request = [](const client::Request& request) -> std::optional<ObjectServer::Reply> {
    const bool lists = request.method == "GET" && request.target.find("labelSelector") != std::string::npos;
    return lists ? std::optional<ObjectServer::Reply>(client::Response{500, "{}"}) : std::nullopt;
  };
  k.clock.advance(62min);
  k.run_until([&] { return k.retention.deleted() == 100; });
  EXPECT_EQ(k.server.requests("DELETE").size(), 100u);
}

}  // namespace
}  // namespace podium::controller::retention_test
