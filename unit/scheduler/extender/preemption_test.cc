// Preempt verbs: the requests to extenders and the effect of their replies. No pod fits any node here. The
// PostFilter plugin proposes the victim db on a, and web and job on b. It takes the first remaining node.
#include "scheduler/extender/preemption.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <boost/json/parse.hpp>

#include "scheduler/cluster/snapshot.h"
#include "unit/client/client_loop.h"
#include "unit/client/doubles.h"
#include "unit/scheduler/extender/fixture.h"
#include "unit/scheduler/framework/fakes.h"

namespace podium::extender::preemption_test {
namespace {

constexpr std::chrono::seconds kSoon{10};

using framework::test::FakeFilter;
using framework::test::FakePostFilter;
using framework::test::ProfileOf;
using podium::test::pod;
using Log = std::vector<std::string>;
namespace json = boost::json;

config::Extender preempting(std::string url) {
  auto out = extender_at(std::move(url));
  out.preempt_verb = "preempt";
  return out;
}
config::Extender ignorable(std::string url) {
  auto out = preempting(std::move(url));
  out.ignorable = true;
  return out;
}

class PreemptingExtenders : public ::testing::Test {
 protected:
  PreemptingExtenders() {
    const auto runs = [&](const std::string& name, const std::string& node) {
      return cluster::make_pod_info(std::make_shared<const api::Pod>(pod(name).node(node)));
    };
    for (const auto& each : {runs("db", "a"), runs("web", "b"), runs("job", "b"), runs("other", "c")})
      snapshot_.add_pod(each);
    const auto on = [&](const char* node, std::initializer_list<const char*> pods, std::int64_t violations) {
      framework::PreemptionCandidate out{*snapshot_.find_row(node), {}, violations};
      for (const auto* name : pods) out.victims.push_back(*snapshot_.find_pod(std::string("uid-") + name));
      return out;
    };
    for (const auto* node : {"a", "b", "c"}) fit_.reject(node, {"full"});
    post_filter_.result.candidates = {on("a", {"db"}, 0), on("b", {"web", "job"}, 1)};
    profile_ = ProfileOf().filter(fit_).post_filter(post_filter_);
  }

  // The victims and their node, "b: web job", or the message.
  std::string decide(const std::vector<config::Extender>& configs) {
    asked_.clear();
    const auto extenders =
        Extenders::make(configs, [this](client::ClientConfig c) { return transport(c.server); });
    for (const auto* name : {"db", "web", "job"}) {
      const auto text =
          fmt::format(R"({{"metadata":{{"uid":"uid-{0}","name":"{0}"}},"spec":{{"nodeName":"n"}}}})", name);
      (*extenders)->texts().changed(client::resource::pods, {client::Change::Type::added, json::parse(text)});
    }
    client::ClientLoop loop;
    async::Gate gate;
    const auto decision = loop.run(extender::decide(**extenders, gate, pod_, pod_text_, snapshot_, profile_));
    EXPECT_TRUE(loop.run(gate.drained(kSoon)));
    EXPECT_EQ(decision.error, "");
    if (!decision.preemption) return decision.message.substr(decision.message.find(". ") + 2);
    auto out = decision.preemption->node + ":";
    for (const auto& victim : decision.preemption->victims) out += " " + victim->pod->meta.name;
    for (const auto& [victim, budget] : decision.preemption->violated)
      out += fmt::format(", {} violates {}", victim->pod->meta.name, budget->meta.name);
    return out;
  }

  std::shared_ptr<client::Transport> transport(const std::string& url) {
    auto transport = std::make_shared<unit::ScriptedTransport>();
    transport->on_send = [this, url](const client::Request& request) {
      asked_.push_back(url + request.target + ": " + question(json::parse(request.body)));
      const auto it = replies_.find(url);
      return it != replies_.end() ? it->second : ok("{}");
    };
    return transport;
  }
  // "a[uid-db] b[uid-web uid-job]/1", in braces where the pods were sent.
  static std::string question(const json::value& body) {
    const bool pods = body.at("NodeNameToMetaVictims").is_null();
    std::string out;
    for (const auto& [node, victims] :
         body.at(pods ? "NodeNameToVictims" : "NodeNameToMetaVictims").as_object()) {
      std::string who;
      for (const auto& each : victims.at("Pods").as_array()) {
        const auto name = pods ? "{" + std::string(each.at("metadata").at("name").as_string()) + "}"
                               : std::string(each.at("UID").as_string());
        who += (who.empty() ? "" : " ") + name;
      }
      const auto violations = victims.at("NumPDBViolations").as_int64();
      out += fmt::format("{}{}[{}]{}", out.empty() ? "" : " ", std::string_view(node), who,
                         violations ? fmt::format("/{}", violations) : "");
    }
    return out;
  }

  std::map<std::string, Result<client::Response>> replies_;  // by URL
  Log asked_;
  framework::Snapshot snapshot_ = framework::test::cluster_of({"a", "b", "c"});
  framework::PodInfoPtr pod_ = cluster::make_pod_info(std::make_shared<const api::Pod>(pod("p")));
  Text pod_text_ = std::make_shared<const std::string>(R"({"metadata":{"name":"p"}})");
  FakeFilter fit_{"Fit"};
  FakePostFilter post_filter_{"P", {}};
  framework::Profile profile_;
};

TEST_F(PreemptingExtenders, WhatOneSaysIsWhatTheNextIsAsked) {
  replies_ = {
      {"http://one",
       ok(R"({"NodeNameToMetaVictims":{"b":{"Pods":[{"UID":"uid-job"}]},"c":{"Pods":[{"UID":"uid-other"}],
                                    "NumPDBViolations":3}}})")},
      {"http://two", ok(R"({"NodeNameToMetaVictims":{"c":{"Pods":[{"UID":"uid-other"}]}}})")}};
  EXPECT_EQ(decide({preempting("http://one"), preempting("http://two")}), "c: other");
  EXPECT_EQ(asked_, (Log{"http://one/preempt: a[uid-db] b[uid-web uid-job]/1",
                         "http://two/preempt: b[uid-job] c[uid-other]/3"}));
}

TEST_F(PreemptingExtenders, TheBudgetsThatTheRemainingVictimsViolate) {
  auto& on_b = post_filter_.result.candidates[1];
  for (const auto& victim : on_b.victims)
    on_b.violated.push_back({victim, podium::test::share(podium::test::disruption_budget(
                                         "default", victim->pod->meta.name + "-budget", {}, 0))});
  post_filter_.result.candidates.erase(post_filter_.result.candidates.begin());
  replies_ = {{"http://one",
               ok(R"({"NodeNameToMetaVictims":{"b":{"Pods":[{"UID":"uid-web"},{"UID":"uid-job"}]}}})")}};
  EXPECT_EQ(decide({preempting("http://one")}),
            "b: web job, web violates web-budget, job violates job-budget");
  replies_ = {{"http://one", ok(R"({"NodeNameToMetaVictims":{"b":{"Pods":[{"UID":"uid-job"}]}}})")}};
  EXPECT_EQ(decide({preempting("http://one")}), "b: job, job violates job-budget");
  replies_ = {{"http://one", ok(R"({"NodeNameToMetaVictims":{"a":{"Pods":[{"UID":"uid-db"}]}}})")}};
  EXPECT_EQ(decide({preempting("http://one")}), "a: db");
}

TEST_F(PreemptingExtenders, WholePodsForThoseWithoutACache) {
  auto naive = preempting("http://naive");
  naive.node_cache_capable = false;
  replies_ = {{"http://naive", ok(R"({"NodeNameToMetaVictims":{"b":{"Pods":[{"UID":"uid-web"}]}}})")}};
  EXPECT_EQ(decide({naive}), "b: web");
  EXPECT_EQ(asked_, Log{"http://naive/preempt: a[{db}] b[{web} {job}]/1"});
}

TEST_F(PreemptingExtenders, IfNoneIsLeftNoOtherIsAsked) {
  EXPECT_EQ(decide({preempting("http://one"), preempting("http://two")}), "P: none left");
  EXPECT_EQ(asked_.size(), 1u);
}

TEST_F(PreemptingExtenders, WhoIsAsked) {
  auto gpus = preempting("http://gpus");
  gpus.managed_resources = {"example.com/gpu"};
  auto filters = preempting("http://filters");
  filters.preempt_verb.clear();
  filters.filter_verb = "filter";
  const auto applies_to = [&](const config::Extender& config) {
    return (*Extenders::make({config}, [this](client::ClientConfig c) { return transport(c.server); }))
        ->applies_to(**pod_);
  };
  EXPECT_TRUE(applies_to(preempting("http://one")));
  EXPECT_FALSE(applies_to(gpus));
  EXPECT_EQ(decide({gpus, filters}), "a: db");
  EXPECT_EQ(asked_, Log{});
}

TEST_F(PreemptingExtenders, AnswersThatMakeNoSense) {
  const struct {
    const char* name;
    Result<client::Response> reply;
    std::string want, if_ignorable;
  } cases[] = {
      {"down", fail(Error::Kind::unavailable, "connection refused"),
       "Post \"http://e/preempt\": connection refused", "a: db"},
      {"a status", client::Response{500, "oops", 0, ""},
       "failed preempt with extender at URL http://e/preempt, code 500", "a: db"},
      {"no JSON", ok("<html>"), "Post \"http://e/preempt\": the reply is not JSON: syntax error", "a: db"},
      {"a node that is not there", ok(R"({"NodeNameToMetaVictims":{"z":{"Pods":[{"UID":"uid-db"}]}}})"),
       "nodeinfo not found for node name \"z\"", "a: db"},
      {"a pod of another node", ok(R"({"NodeNameToMetaVictims":{"b":{"Pods":[{"UID":"uid-db"}]}}})"),
       "extender: http://e claims to preempt pod (UID: &{uid-db}) on node: b, but the pod is not found on "
       "that node",
       "a: db"},
      {"nobody", ok(R"({"NodeNameToMetaVictims":{"b":{"Pods":[{"UID":"uid-web"}]},"a":{"Pods":[]}}})"),
       "expected at least one victim pod on node \"a\"", "b: web"},
      {"nobody anywhere", ok(R"({"NodeNameToMetaVictims":{"a":{}}})"),
       "expected at least one victim pod on node \"a\"", "none left"},
  };
  for (const auto& c : cases) {
    replies_ = {{"http://e", c.reply}};
    EXPECT_THAT(decide({preempting("http://e")}), testing::HasSubstr(c.want)) << c.name;
    EXPECT_THAT(decide({ignorable("http://e")}), testing::HasSubstr(c.if_ignorable)) << c.name;
  }
}

TEST_F(PreemptingExtenders, AVictimThatIsNamedAgainIsEvictedOnce) {
  replies_ = {{"http://e", ok(R"({"NodeNameToMetaVictims":{"b":{"Pods":[{"UID":"uid-web"},{"UID":"uid-job"},)"
                              R"({"UID":"uid-web"}]}}})")}};
  EXPECT_EQ(decide({preempting("http://e")}), "b: web job");
}

TEST_F(PreemptingExtenders, NamesWithoutAnEndAreCutInTheError) {
  const std::string name(1'000'000, 'x');
  for (const auto& reply :
       {fmt::format(R"({{"NodeNameToMetaVictims":{{"{}":{{}}}}}})", name),
        fmt::format(R"({{"NodeNameToMetaVictims":{{"a":{{"Pods":[{{"UID":"{}"}}]}}}}}})", name)}) {
    replies_ = {{"http://e", ok(reply)}};
    const auto got = decide({preempting("http://e")});
    EXPECT_THAT(got, testing::HasSubstr("… (1000000 bytes)"));
    EXPECT_LT(got.size(), 3'000u);
  }
}

TEST_F(PreemptingExtenders, APodThatIsNotKnownAnyMore) {
  pod_text_ = nullptr;
  EXPECT_EQ(decide({preempting("http://one")}), "P: the pod no longer exists");
  EXPECT_EQ(asked_, Log{});
}

}  // namespace
}  // namespace podium::extender::preemption_test
