// ReportWriter finds a name for a report if another report has the name of the pod.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <boost/json/parse.hpp>

#include "controller/report/metadata.h"
#include "unit/controller/recorder/report_writer_fixture.h"

namespace podium::controller::report_writer_test {
namespace {

// The answer to a write of the first report comes after that to the next one's, and takes its place.
TEST(ReportWriter, AReportThatIsFoundUnderTheNameOfAnotherIsKnown) {
  Writing w;
  w.decide(huge("web"), 1);
  w.run();
  const auto first = w.report("web");
  w.server.erase(kPlural, "shop", "web");
  auto next = first;
  next.at("metadata").at("uid") = "uid-of-the-next";
  next.at("spec").at("podRef").at("uid") = "uid-of-the-next-pod";
  w.server.put(kPlural, next);
  w.server.put("pods",
               {{"metadata", {{"name", "web"}, {"namespace", "shop"}, {"uid", "uid-of-the-next-pod"}}}});
  w.clock.advance(120s);
  w.decide(huge("web"), 2);
  w.run();
  EXPECT_EQ(w.reports().size(), 2u);
  EXPECT_EQ(w.retention.size(), 2u);
}

// A leader that begins may create a report before it has listed that of its predecessor, which has a suffix.
TEST(ReportWriter, AReportWhoseStatusIsRefusedIsFilledByTheNextTry) {
  Writing w;
  int left = 1;
  w.server.on_request = [&](const client::Request& request) -> std::optional<ObjectServer::Reply> {
    if (request.method != "PATCH" || left-- <= 0) return std::nullopt;
    const auto other = suffixed("web", "uid-of-web");
    w.retention.track("shop", other, "another", 100s, ReportKind::decision, std::nullopt, {});
    return client::Response{.status = 404, .body = "no such page"};
  };
  w.decide(huge("web"), 1);
  w.run();
  EXPECT_EQ(w.server.requests("POST").size(), 1u);
  EXPECT_EQ(w.reports(), Lines{"web uid-of-web Unschedulable 1"});
  EXPECT_TRUE(w.retention.is_kept("shop", "web", ObjectServer::text(w.report("web"), "/metadata/uid")));
}

TEST(ReportWriter, ANameThatIsTakenGetsASuffix) {
  const std::string long_name(253, 'x');
  struct Case {
    const char *name, *spec;
    std::string pod;
    const char* expect;  // a regular expression
  };
  const Case cases[] = {
      {"by a what-if", R"({"dryRun":true,"podRef":{"name":"web"}})", "web", "web-[0-9a-f]{6}"},
      {"by a what-if about this pod", R"({"dryRun":true,"podRef":{"name":"web","uid":"uid-of-web"}})", "web",
       "web-[0-9a-f]{6}"},
      {"by a user's object about a pod that bore this name", R"({"podRef":{"name":"web","uid":"other"}})",
       "web", "web-[0-9a-f]{6}"},
      {"and the name is as long as may be", R"({"dryRun":true})", long_name, "x{246}-[0-9a-f]{6}"},
      {"and the cut is at a dot", R"({"dryRun":true})", std::string(244, 'x') + ".-" + std::string(7, 'y'),
       "x{244}-[0-9a-f]{6}"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    Writing w;
    w.server.put(kPlural,
                 {{"metadata", {{"name", c.pod}, {"namespace", "shop"}}}, {"spec", json::parse(c.spec)}});
    const auto before = w.report(c.pod);
    w.bind(small(c.pod));
    w.run();
    EXPECT_EQ(w.report(c.pod), before) << "what is not ours is left alone";
    const auto all = w.server.all(kPlural);
    ASSERT_EQ(all.size(), 2u);
    const auto& ours = ObjectServer::text(all[0], "/metadata/name") == c.pod ? all[1] : all[0];
    EXPECT_THAT(ObjectServer::text(ours, "/metadata/name"), testing::MatchesRegex(c.expect));
    EXPECT_EQ(ObjectServer::text(ours, "/status/outcome"), "Scheduled");
  }
}

TEST(ReportWriter, TheReportOfAnEarlierLeaderUnderASuffixIsWrittenOn) {
  Writing w;
  const auto name = suffixed("web", "uid-of-web");
  w.server.put(kPlural,
               {{"metadata", {{"name", name}, {"namespace", "shop"}, {"uid", "uid-of-report"}}},
                {"spec", {{"podRef", {{"name", "web"}, {"uid", "uid-of-web"}}}, {"dryRun", false}}}});
  w.retention.track("shop", name, "uid-of-report", 1h, ReportKind::decision);  // as the first list has it
  w.bind(small("web"));
  w.run();
  EXPECT_EQ(w.reports(), Lines{name + " uid-of-web Scheduled 1"});
}

TEST(ReportWriter, TheReportOfADeadPodOfThisNameIsTakenOver) {
  Writing w;
  w.bind(small("web-1"));
  w.run();
  w.clock.advance(5s);
  auto again = small("web-1");
  again.meta.uid = "another";
  w.bind(again);
  w.run();
  EXPECT_EQ(w.reports(), Lines{"web-1 another Scheduled 1"});
  EXPECT_EQ(w.retention.size(), 1u);
  EXPECT_EQ(w.retention.size(ReportKind::decision), 1u);
}

TEST(ReportWriter, TheReportOfALaterPodOfThisNameIsNot) {
  Writing w;
  auto first = small("web-1");
  first.meta.uid = "the-first";
  w.decide(first);
  w.clock.advance(5s);
  w.bind(small("web-1"));
  w.run();
  w.recorder.binding_ended(info_of(first), {.bound = true, .node = "n1"});  // late
  w.run();
  ASSERT_EQ(w.reports().size(), 2u);
  EXPECT_EQ(w.reports()[0], "web-1 uid-of-web-1 Scheduled 1");
  EXPECT_TRUE(w.reports()[1].ends_with("the-first Scheduled 1")) << w.reports()[1];
}

// The watch came late: both pods were decided within a second.
TEST(ReportWriter, ThePodThatIsThereKeepsItsReport) {
  for (const bool older_first : {true, false}) {
    SCOPED_TRACE(older_first);
    Writing w;
    w.server.put("pods", {{"metadata", {{"name", "web-1"}, {"namespace", "shop"}, {"uid", "the-next"}}}});
    auto older = small("web-1"), next = small("web-1");
    next.meta.uid = "the-next";
    w.bind(older_first ? older : next);
    w.run();
    w.bind(older_first ? next : older);
    w.run();
    const auto all = w.reports();
    ASSERT_EQ(all.size(), older_first ? 1u : 2u);
    EXPECT_EQ(all[0], "web-1 the-next Scheduled 1");
  }
}

TEST(ReportWriter, OneThatAnotherHasReplacedIsCreatedAgain) {
  Writing w;
  w.decide(huge("web"), 1);
  w.run();
  w.server.erase(kPlural, "shop", "web");
  w.server.put(kPlural,
               {{"metadata", {{"name", "web"}, {"namespace", "shop"}}}, {"spec", {{"dryRun", true}}}});
  w.bind(small("web"));
  w.run();
  EXPECT_EQ(w.server.all(kPlural).size(), 2u);
  EXPECT_EQ(ObjectServer::text(w.report("web"), "/status/outcome"), "") << "a user's what-if is left alone";
}

}  // namespace
}  // namespace podium::controller::report_writer_test
