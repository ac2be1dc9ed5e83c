// WhatIfController reads what admission reads of a question, and says what it could not read.
#include "controller/what_if/admission_reader.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "unit/controller/what_if/asking_controller.h"

namespace podium::controller {
namespace {

namespace json = boost::json;
using unit::ObjectServer;

std::string text_list(const json::value& status, const char* field) {
  const auto* list = status.as_object().if_contains(field);
  return list ? json::serialize(*list) : "";
}

TEST(WhatIfController, AppliesTheLimitRangesOfItsNamespaceAndTheRuntimeClass) {
  Asking w;
  const auto range = [](const char* name, const char* ns, const char* cpu) {
    return json::parse(fmt::format(R"({{"metadata":{{"name":"{}","namespace":"{}"}},"spec":{{"limits":[
        {{"type":"Container","default":{{"cpu":"{}"}},"defaultRequest":{{"cpu":"{}"}}}}]}}}})",
                                   name, ns, cpu, cpu));
  };
  w.server.put("limitranges", range("usual", "shop", "1500m"));
  w.server.put("limitranges", range("zz-later", "shop", "4"));
  w.server.put("limitranges", range("others", "elsewhere", "3"));
  w.server.put("runtimeclasses", json::parse(R"({"metadata":{"name":"sandbox"},"handler":"x",
      "overhead":{"podFixed":{"cpu":"500m"}}})"));
  w.ask("plain",
        R"({"dryRun":true,"replicas":4,"template":{"spec":{"containers":[{"name":"c","image":"i"}]}}})");
  w.ask("sandbox", R"({"dryRun":true,"replicas":4,"template":{"spec":{"runtimeClassName":"sandbox",
      "containers":[{"name":"c","image":"i"}]}}})");
  w.ask("unknown", R"({"dryRun":true,"template":{"spec":{"runtimeClassName":"../nodes/n1",
      "containers":[{"name":"c","image":"i"}]}}})");
  w.settle();
  EXPECT_EQ(w.status("plain").at("replicas").at("fitting"), 2) << "of 4 CPUs, 1500m each";
  EXPECT_EQ(w.status("sandbox").at("replicas").at("fitting"), 2) << "of 4 CPUs, 2 each";
  EXPECT_EQ(w.accepted("unknown"),
            "False Invalid: spec.template: pod rejected: RuntimeClass \"../nodes/n1\" not found");
  EXPECT_EQ(text_list(w.status("sandbox"), "notModelled"), R"(["admission webhooks and policies"])");
  for (const auto& request : w.server.requests("GET"))
    EXPECT_EQ(request.find("nodes"), request.npos) << request;
}

TEST(WhatIfController, SaysWhatItCouldNotRead) {
  Asking w;
  w.server.on_request = [](const client::Request& request) -> std::optional<ObjectServer::Reply> {
    const bool is_read = request.target.find("limitranges") != std::string::npos ||
                         request.target.find("resourcequotas") != std::string::npos ||
                         request.target.find("runtimeclasses") != std::string::npos;
    if (!is_read) return std::nullopt;
    return client::Response{403, R"({"kind":"Status","code":403,"reason":"Forbidden"})"};
  };
  w.ask("ask", R"({"dryRun":true,"template":{"spec":{"runtimeClassName":"sandbox",
      "containers":[{"name":"c","image":"i"}]}}})");
  w.settle();
  EXPECT_EQ(w.status("ask").at("outcome"), "Fits");
  EXPECT_EQ(text_list(w.status("ask"), "notModelled"),
            R"(["admission webhooks and policies","LimitRange","ResourceQuota","RuntimeClass"])");
}

std::size_t reads_of(const Asking& w, std::string_view plural) {
  return static_cast<std::size_t>(std::ranges::count_if(
      w.server.requests("GET"),
      [&](const std::string& request) { return request.find(plural) != request.npos; }));
}

TEST(WhatIfController, ReadsTheRuntimeClassOfAStoredPodForItsFixes) {
  Asking w;
  w.server.put("runtimeclasses", json::parse(R"({"metadata":{"name":"kata"},"handler":"x",
      "scheduling":{"nodeSelector":{"kata":"yes"}}})"));
  w.server.put("pods", json::parse(R"({"metadata":{"name":"p","namespace":"shop","uid":"p"},
      "spec":{"schedulerName":"default-scheduler","runtimeClassName":"kata","nodeSelector":{"kata":"yes"},"containers":[{"name":"c","image":"i"}]}})"));
  w.ask("ask", R"({"dryRun":true,"podRef":{"name":"p"}})");
  w.settle();
  EXPECT_EQ(w.status("ask").at("outcome"), "DoesNotFit");
  EXPECT_EQ(reads_of(w, "runtimeclasses"), 0u);
  w.ask("fixes", R"({"dryRun":true,"podRef":{"name":"p"},"fixes":true})");
  w.settle();
  EXPECT_EQ(reads_of(w, "runtimeclasses"), 1u);
  EXPECT_EQ(reads_of(w, "limitranges"), 0u) << "they applied when the pod was created";
  EXPECT_EQ(json::serialize(w.status("fixes")).find("WithoutNodeSelector"), std::string::npos);
}

// A question whose pods have so many RuntimeClasses, class-0 and so on.
std::string with_classes(int count) {
  std::string changes;
  for (int i = 0; i < count; ++i) {
    changes +=
        fmt::format(R"({}{{"type":"AddPods","count":1,"template":{{"spec":{{"runtimeClassName":"class-{}",
        "containers":[{{"name":"c","image":"i"}}]}}}}}})",
                    i ? "," : "", i);
  }
  return fmt::format(R"({{"dryRun":true,"changes":[{}],
      "template":{{"spec":{{"containers":[{{"name":"c","image":"i"}}]}}}}}})",
                     changes);
}

TEST(WhatIfController, SharesTheRuntimeClassesThatItRead) {
  Asking w;
  for (int i = 0; i < 20; ++i) {
    w.server.put("runtimeclasses",
                 json::parse(fmt::format(R"({{"metadata":{{"name":"class-{}"}},"handler":"x"}})", i)));
  }
  for (const auto* name : {"one", "two", "three"}) {
    w.ask(name, with_classes(20));
    w.settle();
  }
  EXPECT_EQ(w.accepted("three"), "True Accepted: request is valid");
  EXPECT_EQ(reads_of(w, "runtimeclasses"), 20u);
  w.clock.advance(ReadCache<api::RuntimeClass>::kTtl);
  w.ask("later", with_classes(20));
  w.settle();
  EXPECT_EQ(w.accepted("later"), "True Accepted: request is valid");
  EXPECT_EQ(reads_of(w, "runtimeclasses"), 40u);
}

using Classes = ReadCache<api::RuntimeClass>;

std::string path_of(std::size_t i) { return fmt::format("/classes/{}", i); }

TEST(ReadCache, HasABound) {
  Classes cache;
  const Steady start{};
  for (std::size_t i = 0; i <= Classes::kMost; ++i)
    cache.keep(path_of(i), {}, 1, start + std::chrono::milliseconds(i));
  EXPECT_EQ(cache.find(path_of(0), start), nullptr) << "the oldest one leaves";
  for (std::size_t i = 1; i <= Classes::kMost; ++i) EXPECT_NE(cache.find(path_of(i), start), nullptr) << i;
}

TEST(ReadCache, HasABoundOfBytes) {
  Classes cache;
  const Steady start{};
  cache.keep(path_of(0), {}, Classes::kMostBytes / 2, start);
  cache.keep(path_of(1), {}, Classes::kMostBytes / 2, start + std::chrono::milliseconds(1));
  ASSERT_NE(cache.find(path_of(0), start), nullptr);
  cache.keep(path_of(2), {}, 1, start + std::chrono::milliseconds(2));
  EXPECT_EQ(cache.find(path_of(0), start), nullptr) << "the oldest one leaves";
  EXPECT_NE(cache.find(path_of(1), start), nullptr);
  cache.keep(path_of(3), {}, Classes::kMostBytes + 1, start + std::chrono::milliseconds(3));
  EXPECT_EQ(cache.find(path_of(3), start), nullptr) << "one that is too large takes nobody's place";
  EXPECT_NE(cache.find(path_of(2), start), nullptr);
  cache.keep(path_of(2), {}, Classes::kMostBytes / 2, start + std::chrono::milliseconds(4));
  EXPECT_NE(cache.find(path_of(1), start), nullptr) << "its earlier bytes count no more";
}

TEST(WhatIfController, ReadsNoRuntimeClassAfterOneThatIsMissing) {
  Asking w;
  w.ask("missing", with_classes(20));
  w.settle();
  EXPECT_EQ(w.accepted("missing"),
            "False Invalid: spec.changes[0].template: pod rejected: RuntimeClass \"class-0\" not found");
  EXPECT_EQ(reads_of(w, "runtimeclasses"), 1u);
  w.server.put("runtimeclasses", json::parse(R"({"metadata":{"name":"class-0"},"handler":"x"})"));
  w.ask("made", with_classes(1));
  w.settle();
  EXPECT_EQ(w.accepted("made"), "True Accepted: request is valid") << "that it was missing is not kept";
}

// The first replica's reason, of a pod with a claim of each of these templates.
std::string reason_with_claims(Asking& w, const std::vector<std::string>& templates,
                               const std::string& name = "ask", const std::string& ns = "shop") {
  std::string claims;
  for (std::size_t i = 0; i < templates.size(); ++i) {
    claims +=
        fmt::format(R"({}{{"name":"c{}","resourceClaimTemplateName":"{}"}})", i ? "," : "", i, templates[i]);
  }
  w.ask(name,
        fmt::format(R"({{"dryRun":true,"template":{{"spec":{{"resourceClaims":[{}],
      "containers":[{{"name":"c","image":"i"}}]}}}}}})",
                    claims),
        1, ns);
  w.settle();
  return unit::ObjectServer::text(w.status(name, ns), "/firstFailure/reason");
}

json::value claim_template(const std::string& name, const std::string& ns, const std::string& device_class) {
  return json::parse(fmt::format(R"({{"metadata":{{"name":"{}","namespace":"{}"}},"spec":{{"spec":{{"devices":
      {{"requests":[{{"name":"gpu","exactly":{{"deviceClassName":"{}"}}}}]}}}}}}}})",
                                 name, ns, device_class));
}

TEST(WhatIfController, MakesClaimsOfTheTemplatesOfItsNamespace) {
  Asking w;
  w.server.put("resourceclaimtemplates", claim_template("one", "shop", "fast"));
  w.server.put("resourceclaimtemplates", claim_template("two", "elsewhere", "slow"));
  EXPECT_EQ(reason_with_claims(w, {"one"}), "request gpu: device class fast does not exist");
  Asking of_another;
  of_another.server.put("resourceclaimtemplates", claim_template("two", "elsewhere", "slow"));
  EXPECT_EQ(reason_with_claims(of_another, {"two"}), "pod \"shop/ask\": ResourceClaim not created yet");
  EXPECT_EQ(of_another.condition("Complete", "ask"),
            "True DoesNotFit: 0 of 1 replicas fit: "
            "claim c0: namespace shop has no ResourceClaimTemplate \"two\"");
}

TEST(WhatIfController, SharesTheTemplatesThatItRead) {
  Asking w;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < explain::kMostClaimTemplates; ++i) {
    names.push_back(fmt::format("t{}", i));
    w.server.put("resourceclaimtemplates", claim_template(names.back(), "shop", "fast"));
  }
  const std::string reason = "request gpu: device class fast does not exist";
  for (const auto* name : {"one", "two", "three"}) EXPECT_EQ(reason_with_claims(w, names, name), reason);
  EXPECT_EQ(reads_of(w, "resourceclaimtemplates"), names.size());
  w.server.put("resourceclaimtemplates", claim_template("t0", "shop", "slow"));
  w.clock.advance(ReadCache<api::ResourceClaimTemplate>::kTtl);
  EXPECT_EQ(reason_with_claims(w, names, "later"), "request gpu: device class slow does not exist");
  EXPECT_EQ(reads_of(w, "resourceclaimtemplates"), 2 * names.size());
}

// A user sees nothing of a namespace by asking in another one.
TEST(WhatIfController, SharesNoTemplatesAmongNamespaces) {
  Asking w;
  w.server.put("resourceclaimtemplates", claim_template("one", "shop", "fast"));
  EXPECT_EQ(reason_with_claims(w, {"one"}), "request gpu: device class fast does not exist");
  EXPECT_EQ(reason_with_claims(w, {"one"}, "ask", "elsewhere"),
            "pod \"elsewhere/ask\": ResourceClaim not created yet");
  w.server.put("resourceclaimtemplates", claim_template("one", "elsewhere", "slow"));
  EXPECT_EQ(reason_with_claims(w, {"one"}, "again", "elsewhere"),
            "request gpu: device class slow does not exist")
      << "that it was missing is not kept";
}

TEST(WhatIfController, SaysWhichTemplateItCouldNotRead) {
  Asking w;
  w.server.on_request = [](const client::Request& request) -> std::optional<ObjectServer::Reply> {
    if (request.target.find("resourceclaimtemplates") == std::string::npos) return std::nullopt;
    return client::Response{403, R"({"kind":"Status","code":403,"reason":"Forbidden"})"};
  };
  reason_with_claims(w, {"one"});
  EXPECT_EQ(
      unit::ObjectServer::text(w.status("ask"), "/firstFailure/message"),
      "claim c0: it is not known whether namespace shop has ResourceClaimTemplate \"one\": podium does not "
      "have the right to get ResourceClaimTemplates");
}

TEST(WhatIfController, ReadsNoRuntimeClassThatTheQuestionAdds) {
  Asking w;
  w.server.put("runtimeclasses", json::parse(R"({"metadata":{"name":"class-1"},"handler":"x"})"));
  auto question = with_classes(2);
  const std::string_view changes = R"("changes":[)";
  question.insert(question.find(changes) + changes.size(), R"({"type":"AddObjects","objects":[
      {"apiVersion":"node.k8s.io/v1","kind":"RuntimeClass","metadata":{"name":"class-0"},"handler":"x"}]},)");
  w.ask("adds", question);
  w.settle();
  EXPECT_EQ(w.accepted("adds"), "True Accepted: request is valid");
  EXPECT_EQ(text_list(w.status("adds"), "notModelled"), R"(["admission webhooks and policies"])");
  EXPECT_EQ(reads_of(w, "runtimeclasses"), 1u);
}

// Each may take as long as its deadline.
TEST(WhatIfController, ReadsNothingAfterAReadThatFails) {
  Asking w;
  w.server.on_request = [](const client::Request& request) -> std::optional<ObjectServer::Reply> {
    if (request.target.find("resourceclaimtemplates") == std::string::npos &&
        request.target.find("runtimeclasses") == std::string::npos)
      return std::nullopt;
    return client::Response{403, R"({"kind":"Status","code":403,"reason":"Forbidden"})"};
  };
  w.ask("classes", with_classes(20));
  w.settle();
  EXPECT_EQ(reads_of(w, "runtimeclasses"), 1u);
  EXPECT_EQ(text_list(w.status("classes"), "notModelled"),
            R"(["admission webhooks and policies","RuntimeClass"])");
  reason_with_claims(w, {"one", "two", "three"});
  EXPECT_EQ(reads_of(w, "resourceclaimtemplates"), 1u);
}

TEST(WhatIfController, ReadsNoTemplateAtAnotherPath) {
  Asking w;
  reason_with_claims(w, {"../../../../../api/v1/nodes/n1"});
  EXPECT_EQ(w.accepted("ask"),
            "False Invalid: spec.template.spec.resourceClaims[0].resourceClaimTemplateName: Invalid value: "
            "\"../../../../../api/v1/nodes/n1\": must be a lowercase RFC 1123 subdomain");
  for (const auto& request : w.server.requests("GET"))
    EXPECT_EQ(request.find("nodes"), request.npos) << request;
}

TEST(WhatIfController, ReadsABoundedNumberOfTemplates) {
  const auto requests = [](const Asking& w) { return reads_of(w, "resourceclaimtemplates"); };
  std::vector<std::string> names;
  for (std::size_t i = 0; i < explain::kMostClaimTemplates; ++i) names.push_back(fmt::format("t{}", i));
  Asking w;
  EXPECT_EQ(reason_with_claims(w, names), "pod \"shop/ask\": ResourceClaim not created yet");
  EXPECT_EQ(requests(w), explain::kMostClaimTemplates);
  names.push_back("more");
  Asking of_more;
  reason_with_claims(of_more, names);
  EXPECT_EQ(of_more.accepted("ask"),
            "False Invalid: spec.template.spec.resourceClaims[32].resourceClaimTemplateName: \"more\" is one "
            "too many: the pods of a what-if may use 32 ResourceClaimTemplates at most");
  EXPECT_EQ(requests(of_more), 0u);
}

TEST(WhatIfController, ReadsNoMoreBytesOfTemplatesThanItsBound) {
  Asking w;
  std::vector<std::string> names;
  for (int i = 0; i < 8; ++i) {
    names.push_back(fmt::format("t{}", i));
    auto made = claim_template(names.back(), "shop", "fast");
    made.at("metadata").as_object()["annotations"] = {
        {"a", std::string(AdmissionReader::kMostListedBytes / 4, 'x')}};
    w.server.put("resourceclaimtemplates", made);
  }
  reason_with_claims(w, names);
  EXPECT_EQ(reads_of(w, "resourceclaimtemplates"), 4u) << "the fourth is one too many";
  EXPECT_THAT(
      unit::ObjectServer::text(w.status("ask"), "/firstFailure/message"),
      testing::HasSubstr("ResourceClaimTemplate \"t3\": the objects of the question are larger than"));
}

// The pods of AddPods are admitted as the question's own: 2 CPUs each, 500m of which are its class's overhead
// or a limit's default.
TEST(WhatIfController, ReadsTheClassesAndTemplatesOfAddedPodsToo) {
  Asking w;
  w.server.put("runtimeclasses", json::parse(R"({"metadata":{"name":"sandbox"},"handler":"x",
      "overhead":{"podFixed":{"cpu":"500m"}}})"));
  w.server.put("resourceclaimtemplates", claim_template("one", "shop", "fast"));
  const auto asked = [&w](const char* name, const std::string& pod) {
    w.ask(name,
          fmt::format(R"({{"dryRun":true,"changes":[{{"type":"AddPods","count":3,"template":{{"spec":{{{},
        "containers":[{{"name":"c","image":"i","resources":{{"requests":{{"cpu":"1500m"}}}}}}]}}}}}}],
        "template":{{"spec":{{"containers":[{{"name":"c","image":"i"}}]}}}}}})",
                      pod));
    w.settle();
    return unit::ObjectServer::text(w.status(name), "/changes/0/message") + w.accepted(name);
  };
  EXPECT_EQ(asked("sandboxed", R"("runtimeClassName":"sandbox")"),
            "the pod: 2 of 3 placed: Insufficient cpuTrue Accepted: request is valid");
  EXPECT_EQ(asked("unknown", R"("runtimeClassName":"gone")"),
            "False Invalid: spec.changes[0].template: pod rejected: RuntimeClass \"gone\" not found");
  EXPECT_EQ(
      asked("claims", R"("resourceClaims":[{"name":"c","resourceClaimTemplateName":"one"}])"),
      "the pod: 0 of 3 placed: request gpu: device class fast does not existTrue Accepted: request is valid");
  EXPECT_EQ(
      asked("missing", R"("resourceClaims":[{"name":"c","resourceClaimTemplateName":"two"}])"),
      "the pod: 0 of 3 placed: claim c: namespace shop has no ResourceClaimTemplate \"two\"True Accepted: "
      "request is valid");
}

TEST(WhatIfController, ReadsNoMoreLimitRangesThanANamespaceMayHave) {
  Asking w;
  for (std::size_t i = 0; i <= AdmissionReader::kMostListed; ++i) {
    w.server.put("limitranges",
                 json::parse(fmt::format(R"({{"metadata":{{"name":"r{}","namespace":"shop"}}}})", i)));
  }
  w.ask("ask", kFits);
  w.settle();
  EXPECT_EQ(text_list(w.status("ask"), "notModelled"), R"(["admission webhooks and policies","LimitRange"])");
}

// A tenant's large objects cost the questions of all tenants little.
TEST(WhatIfController, ReadsNoMoreBytesOfQuotasThanItsBound) {
  Asking w;
  const std::string large(AdmissionReader::kMostListedBytes / 20, 'x');
  for (int i = 0; i < 40; ++i) {
    w.server.put("resourcequotas", json::parse(fmt::format(R"({{"metadata":{{"name":"q{}","namespace":"shop",
                     "annotations":{{"a":"{}"}}}}}})",
                                                           i, large)));
  }
  w.ask("ask", kFits);
  w.settle();
  EXPECT_EQ(text_list(w.status("ask"), "notModelled"),
            R"(["admission webhooks and policies","ResourceQuota"])");
  std::size_t reads = 0;
  for (const auto& request : w.server.requests("GET"))
    reads += request.find("resourcequotas") != request.npos;
  EXPECT_EQ(reads, 2u) << "of four pages";
}

TEST(WhatIfController, AppliesTheQuotasOfItsNamespace) {
  Asking w;
  const auto quota = [](const char* name, const char* ns, int hard) {
    return json::parse(fmt::format(R"({{"metadata":{{"name":"{}","namespace":"{}"}},
        "status":{{"hard":{{"pods":"{}"}},"used":{{"pods":"1"}}}}}})",
                                   name, ns, hard));
  };
  w.server.put("resourcequotas", quota("few", "shop", 3));
  w.server.put("resourcequotas", quota("none", "elsewhere", 0));
  w.ask("ask",
        R"({"dryRun":true,"replicas":3,"template":{"spec":{"containers":[{"name":"c","image":"i"}]}}})");
  w.settle();
  EXPECT_EQ(w.status("ask").at("outcome"), "PartlyFits");
  EXPECT_EQ(
      text_list(w.status("ask"), "quotas"),
      R"([{"name":"few","allowed":2,"resources":[{"resource":"pods","used":"1","then":"4","hard":"3","isExceeded":true}]}])");
}

}  // namespace
}  // namespace podium::controller
