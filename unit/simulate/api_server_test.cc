// The modelled API server answers as the real one does, in what podium reads.
#include "simulate/server/api_server.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <vector>

#include "async/virtual_time.h"

namespace podium::simulate {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kPods = "/api/v1/namespaces/shop/pods";
constexpr const char* kLease = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/l";
constexpr const char* kJsonPatch = "application/json-patch+json";
constexpr const char* kMergePatch = "application/merge-patch+json";
constexpr const char* kStrategicPatch = "application/strategic-merge-patch+json";

struct Served {
  client::Response ask(const std::string& method, const std::string& target, const std::string& body = {},
                       const std::string& type = "application/json") {
    client::Request request;
    request.method = method;
    request.target = target;
    request.body = body;
    request.content_type = type;
    return server.serve(request, "podium-1");
  }
  json::value made(const std::string& collection, const std::string& ns, const std::string& name,
                   const std::string& rest = R"("spec":{})") {
    const auto reply =
        ask("POST", collection,
            fmt::format(R"({{"metadata":{{"name":"{}","namespace":"{}"}},{}}})", name, ns, rest));
    EXPECT_EQ(reply.status, 201) << reply.body;
    return json::parse(reply.body);
  }
  json::value pod(const std::string& name, const std::string& rest = R"("spec":{})") {
    return made(kPods, "shop", name, rest);
  }
  client::Response bind(const std::string& name, const std::string& node, const std::string& uid = "") {
    return ask("POST", std::string(kPods) + "/" + name + "/binding",
               fmt::format(R"({{"metadata":{{"name":"{}","uid":"{}"}},"target":{{"name":"{}"}}}})", name, uid,
                           node));
  }
  json::value stored(const std::string& name) { return json::parse(ask("GET", pod_path(name)).body); }
  static std::string pod_path(const std::string& name) { return std::string(kPods) + "/" + name; }

  // What a watch tells: the type and the name of each event, and its end.
  std::vector<std::string> watch(const std::string& query) {
    const auto events = std::make_shared<std::vector<std::string>>();
    client::Request request;
    request.target = "/api/v1/pods?watch=true&allowWatchBookmarks=true&" + query;
    auto opened = server.open(request);
    if (!opened.watch) return {std::to_string(opened.refusal.status)};
    opened.watch->deliver = [events](const std::string& lines) {
      for (std::size_t at = 0; at < lines.size(); at = lines.find('\n', at) + 1) {
        const auto event = json::parse(lines.substr(at, lines.find('\n', at) - at));
        const auto type = text_at(event, "/type");
        auto what = text_at(event, "/object/metadata/name");
        if (type == "ERROR") what = std::to_string(number_at(event, "/object/code"));
        if (find_at(event, "/object/metadata/annotations/k8s.io~1initial-events-end")) what = "initial";
        events->push_back(type + " " + what);
      }
    };
    opened.watch->ended = [events] { events->push_back("end"); };
    server.begin(opened);
    watches.push_back(opened.watch);
    last = events;
    return *events;
  }
  void pass(std::chrono::seconds wait) {
    const auto end = time.now() + wait;
    while (time.now() < end) {
      time.advance(std::min(agenda.next(), end) - time.now());
      agenda.run_due();
    }
  }
  std::string version() const { return std::to_string(store.version()); }

  async::VirtualTime time;
  Agenda agenda{time};
  Store store{time};
  ApiServer server{store, agenda, Dice(1)};
  std::vector<std::shared_ptr<Watch>> watches;
  std::shared_ptr<std::vector<std::string>> last;
};

TEST(ModelledApiServer, EachWriteHasTheNextResourceVersion) {
  Served api;
  const auto a = api.pod("a"), b = api.pod("b");
  EXPECT_EQ(number_at(a, "/metadata/generation"), 1);
  EXPECT_EQ(std::stoi(text_at(b, "/metadata/resourceVersion")),
            std::stoi(text_at(a, "/metadata/resourceVersion")) + 1);
  EXPECT_NE(text_at(a, "/metadata/uid"), text_at(b, "/metadata/uid"));
  const auto before = api.version();
  EXPECT_EQ(api.ask("PATCH", Served::pod_path("a"), R"({"spec":{}})", kMergePatch).status, 200);
  EXPECT_EQ(api.version(), before) << "a patch that changes nothing writes nothing";
  EXPECT_EQ(api.ask("PATCH", Served::pod_path("a"), R"({"spec":{"x":1}})", kMergePatch).status, 200);
  EXPECT_NE(api.version(), before);
  EXPECT_EQ(number_at(api.stored("a"), "/metadata/generation"), 2);
}

TEST(ModelledApiServer, APodIsBoundOnce) {
  Served api;
  const auto uid = text_at(api.pod("a"), "/metadata/uid");
  EXPECT_EQ(api.bind("b", "n1").status, 404);
  const auto other = api.bind("a", "n1", "another-uid");
  EXPECT_EQ(other.status, 409);
  EXPECT_THAT(other.body, HasSubstr("Precondition failed: UID in precondition: another-uid"));
  EXPECT_EQ(api.bind("a", "n1", uid).status, 201);
  EXPECT_EQ(text_at(api.stored("a"), "/spec/nodeName"), "n1");
  EXPECT_EQ(text_at(api.stored("a"), "/status/conditions/0/status"), "True");
  const auto again = api.bind("a", "n1", uid);
  EXPECT_EQ(again.status, 409);
  EXPECT_THAT(again.body, HasSubstr(R"(is already assigned to node \"n1\")"));
  api.pod("gated", R"("spec":{"schedulingGates":[{"name":"g"}]})");
  EXPECT_EQ(api.bind("gated", "n1").status, 409);
}

TEST(ModelledApiServer, ABoundPodIsDeletedGracefullyAndAnotherImmediately) {
  Served api;
  api.pod("a");
  api.pod("b");
  api.bind("a", "n1");
  EXPECT_EQ(api.ask("DELETE", Served::pod_path("a"), R"({"preconditions":{"uid":"another"}})").status, 409);
  EXPECT_EQ(api.ask("DELETE", Served::pod_path("a")).status, 200);
  EXPECT_NE(text_at(api.stored("a"), "/metadata/deletionTimestamp"), "");
  EXPECT_EQ(api.ask("DELETE", Served::pod_path("b")).status, 200);
  const auto gone = api.ask("GET", Served::pod_path("b"));
  EXPECT_EQ(gone.status, 404);
  EXPECT_THAT(gone.body, HasSubstr(R"("reason":"NotFound")"));
  EXPECT_EQ(api.bind("a", "n2").status, 409);
}

TEST(ModelledApiServer, PatchesKeepTheirPreconditionsAndTheirPart) {
  Served api;
  api.pod("a");
  const auto patch = [&](const std::string& to, const std::string& body, const char* type) {
    return api.ask("PATCH", Served::pod_path("a") + to, body, type).status;
  };
  EXPECT_EQ(patch("", R"({"metadata":{"uid":"another"},"spec":{"x":1}})", kMergePatch), 422);
  EXPECT_EQ(patch("", R"({"metadata":{"resourceVersion":"1"},"spec":{"x":1}})", kMergePatch), 409);
  EXPECT_EQ(patch("", R"({"status":{"phase":"Running"}})", kMergePatch), 200);
  EXPECT_EQ(text_at(api.stored("a"), "/status/phase"), "Pending")
      << "the status is written by its subresource";
  EXPECT_EQ(patch("/status", R"({"spec":{"x":1},"status":{"phase":"Running"}})", kMergePatch), 200);
  EXPECT_EQ(text_at(api.stored("a"), "/status/phase"), "Running");
  EXPECT_EQ(find_at(api.stored("a"), "/spec/x"), nullptr);
  for (const char* type : {"A", "B"}) {
    EXPECT_EQ(patch("/status",
                    fmt::format(R"({{"status":{{"conditions":[{{"type":"{}","status":"True"}}]}}}})", type),
                    kStrategicPatch),
              200);
  }
  EXPECT_EQ(text_at(api.stored("a"), "/status/conditions/0/type"), "A");
  EXPECT_EQ(text_at(api.stored("a"), "/status/conditions/1/type"), "B");
  EXPECT_EQ(patch("", R"([{"op":"test","path":"/metadata/uid","value":"another"},
                          {"op":"add","path":"/spec/y","value":2}])",
                  kJsonPatch),
            422);
  EXPECT_EQ(find_at(api.stored("a"), "/spec/y"), nullptr);
  EXPECT_EQ(patch("", R"([{"op":"add","path":"/spec/y","value":2}])", kJsonPatch), 200);
  EXPECT_EQ(number_at(api.stored("a"), "/spec/y"), 2);
}

TEST(ModelledApiServer, ALeaseIsTakenByCompareAndSwap) {
  Served api;
  const std::string leases = std::string(kLease).substr(0, std::string(kLease).rfind('/'));
  const auto lease = api.made(leases, "kube-system", "l", R"("spec":{"holderIdentity":"a"})");
  EXPECT_EQ(api.ask("POST", leases, R"({"metadata":{"name":"l","namespace":"kube-system"}})").status, 409);
  const auto put = [&](const std::string& holder) {
    auto changed = lease;
    changed.as_object()["spec"].as_object()["holderIdentity"] = holder;
    return api.ask("PUT", kLease, json::serialize(changed)).status;
  };
  EXPECT_EQ(put("b"), 200);
  EXPECT_EQ(put("c"), 409);
  EXPECT_EQ(text_at(json::parse(api.ask("GET", kLease).body), "/spec/holderIdentity"), "b");
}

TEST(ModelledApiServer, PagesAreOfOneStateUntilItIsCompacted) {
  Served api;
  for (const char* name : {"a", "b", "c"}) api.pod(name);
  api.server.page = 2;
  const auto page = [&](const std::string& token) {
    return json::parse(api.ask("GET", "/api/v1/pods?limit=500&continue=" + token).body);
  };
  const auto first = page("");
  EXPECT_EQ(first.at("items").as_array().size(), 2u);
  api.ask("DELETE", Served::pod_path("c"));
  const auto token = text_at(first, "/metadata/continue");
  const auto second = page(token);
  EXPECT_EQ(text_at(second, "/items/0/metadata/name"), "c");
  EXPECT_EQ(text_at(second, "/metadata/continue"), "");
  EXPECT_EQ(text_at(second, "/metadata/resourceVersion"), text_at(first, "/metadata/resourceVersion"));
  api.store.compact();
  EXPECT_EQ(number_at(page(token), "/code"), 410);
  EXPECT_EQ(text_at(page(token), "/reason"), "Expired");
}

TEST(ModelledApiServer, AWatchBeginsWhereItIsAskedTo) {
  Served api;
  api.pod("a");
  const auto then = api.version();
  api.pod("b");
  EXPECT_THAT(api.watch("resourceVersion=" + then), ElementsAre("ADDED b"));
  EXPECT_THAT(api.watch("sendInitialEvents=true&resourceVersionMatch=NotOlderThan"),
              ElementsAre("ADDED a", "ADDED b", "BOOKMARK initial"));
  api.bind("a", "n1");
  api.ask("DELETE", Served::pod_path("b"));
  EXPECT_THAT(*api.last, ElementsAre("ADDED a", "ADDED b", "BOOKMARK initial", "MODIFIED a", "DELETED b"));
  api.pass(70s);
  EXPECT_EQ(api.last->back(), "BOOKMARK ");
  api.server.watches().end_all();
  EXPECT_EQ(api.last->back(), "end");
  api.store.compact();
  EXPECT_THAT(api.watch("resourceVersion=" + then), ElementsAre("ERROR 410", "end"));
  EXPECT_THAT(api.watch("resourceVersion=999999"), ElementsAre("504"));
}

TEST(ModelledApiServer, AWatchEndsAtItsTimeout) {
  Served api;
  api.watch("timeoutSeconds=300&resourceVersion=" + api.version());
  api.pass(299s);
  EXPECT_NE(api.last->empty() ? "" : api.last->back(), "end");
  api.pass(2s);
  EXPECT_EQ(api.last->back(), "end");
}

// A watch with a selector sees an object come and go as it begins and ends to match.
TEST(ModelledApiServer, ASelectorTurnsChangesIntoAdditionsAndDeletions) {
  Served api;
  api.pod("a", R"("spec":{"schedulerName":"x"})");
  api.watch("fieldSelector=spec.nodeName%3Dn1&resourceVersion=" + api.version());
  api.bind("a", "n1");
  api.ask("PATCH", Served::pod_path("a"), R"({"spec":{"nodeName":"n2"}})", kMergePatch);
  EXPECT_THAT(*api.last, ElementsAre("ADDED a", "DELETED a"));
}

TEST(ModelledApiServer, WhatAdmissionRefusesIsForbidden) {
  Served api;
  api.pod("a");
  api.server.refuses = [](std::string_view verb, const Key& key) -> std::optional<std::string> {
    if (verb == "delete" || key.name == "b") return "exceeded quota";
    return std::nullopt;
  };
  const auto refused = api.ask("POST", kPods, R"({"metadata":{"name":"b","namespace":"shop"}})");
  EXPECT_EQ(refused.status, 403);
  EXPECT_THAT(refused.body, HasSubstr("exceeded quota"));
  EXPECT_EQ(api.ask("DELETE", Served::pod_path("a")).status, 403);
  EXPECT_EQ(api.ask("GET", Served::pod_path("a")).status, 200);
}

TEST(ModelledApiServer, SaysWhatItDoesNotKnow) {
  Served api;
  std::vector<std::string> unknown;
  api.server.unknown = [&](const client::Request& request, std::string_view) {
    unknown.push_back(request.method + " " + request.target);
  };
  EXPECT_EQ(api.ask("PUT", Served::pod_path("a"), "{}").status, 501);
  EXPECT_EQ(api.ask("GET", "/version").status, 501);
  EXPECT_THAT(unknown, ElementsAre("PUT " + Served::pod_path("a"), "GET /version"));
}

// --- claims ---

constexpr const char* kClaimsPath = "/apis/resource.k8s.io/v1/namespaces/shop/resourceclaims";
constexpr const char* kAllocated =
    R"("allocation":{"devices":{"results":[{"driver":"d","pool":"p","device":"x"}]}})";

struct ServedClaim : Served {
  ServedClaim() { made(kClaimsPath, "shop", "c"); }
  int patch(const std::string& subresource, const std::string& body) {
    return ask("PATCH", std::string(kClaimsPath) + "/c" + subresource, body, kStrategicPatch).status;
  }
  json::value live() { return json::parse(ask("GET", std::string(kClaimsPath) + "/c").body); }
  std::string users() {
    std::string out;
    const auto claim = live();
    if (const auto* list = find_at(claim, "/status/reservedFor")) {
      for (const auto& user : list->as_array()) out += text_at(user, "/uid");
    }
    return out;
  }
};

TEST(ApiServer, AClaimIsReservedForPodsByTheirUids) {
  ServedClaim served;
  EXPECT_EQ(served.patch("/status", R"({"status":{"reservedFor":[{"uid":"a"}]}})"), 422) << "not allocated";
  EXPECT_EQ(served.patch("/status",
                         fmt::format(R"({{"status":{{"reservedFor":[{{"uid":"a"}}],{}}}}})", kAllocated)),
            200);
  EXPECT_EQ(served.patch("/status", R"({"status":{"reservedFor":[{"uid":"b"}]}})"), 200);
  EXPECT_EQ(served.users(), "ba");
  const auto version = text_at(served.live(), "/metadata/resourceVersion");
  EXPECT_EQ(served.patch("/status", R"({"status":{"reservedFor":[{"uid":"b"}]}})"), 200);
  EXPECT_EQ(text_at(served.live(), "/metadata/resourceVersion"), version) << "nothing has changed";
  EXPECT_EQ(served.patch("/status", R"({"status":{"reservedFor":[{"$patch":"delete","uid":"a"}]}})"), 200);
  EXPECT_EQ(served.users(), "b");
  EXPECT_EQ(served.patch("/status", R"({"status":{"allocation":{"devices":null}}})"), 422)
      << "it is immutable";
  EXPECT_EQ(served.patch("/status", R"({"status":{"allocation":null,"reservedFor":null}})"), 200);
}

TEST(ApiServer, AClaimThatIsDeletedWaitsForItsFinalizer) {
  ServedClaim served;
  const std::string path = std::string(kClaimsPath) + "/c";
  EXPECT_EQ(served.patch("", R"({"metadata":{"finalizers":["f"]}})"), 200);
  EXPECT_EQ(served.ask("DELETE", path).status, 200);
  EXPECT_FALSE(text_at(served.live(), "/metadata/deletionTimestamp").empty());
  EXPECT_EQ(served.patch("", R"({"metadata":{"finalizers":["g"]}})"), 422);
  EXPECT_EQ(served.patch("/status",
                         fmt::format(R"({{"status":{{"reservedFor":[{{"uid":"a"}}],{}}}}})", kAllocated)),
            422);
  auto claim = served.live();
  claim.as_object()["metadata"].as_object().erase("finalizers");
  EXPECT_EQ(served.ask("PUT", path, json::serialize(claim)).status, 200);
  EXPECT_EQ(served.ask("GET", path).status, 404);
}

}  // namespace
}  // namespace podium::simulate
