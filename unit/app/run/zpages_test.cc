// /statusz and /flagz, in kube-scheduler's form.
#include "app/run/zpages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

namespace podium::app::run {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::StartsWith;

StatusPage page() {
  StatusPage out;
  out.started = Wall{std::chrono::duration_cast<Wall::duration>(1'700'000'000s)};
  out.now = out.started + 100h + 2min + 3s;
  out.paths = {"/metrics", "/configz", "/metrics/slis", "/livez"};
  return out;
}

constexpr const char* kStructured = "application/json;as=Statusz;v=v1beta1;g=config.k8s.io";

TEST(Zpages, StatuszIsText) {
  for (const char* accept : {"", "*/*", "text/plain", "text/html,*/*;q=0.8"}) {
    const auto reply = statusz(page(), accept);
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.content_type, "text/plain; charset=utf-8");
    EXPECT_THAT(reply.body,
                StartsWith("\npodium statusz\nWarning: This endpoint is not meant to be machine"));
    EXPECT_THAT(reply.body,
                HasSubstr("\n\nStarted: Tue Nov 14 22:13:20 UTC 2023\nUp: 100 hr 02 min 03 sec\n"));
    EXPECT_THAT(reply.body, HasSubstr("\nEmulation version: 1.37\nPaths: /configz /livez /metrics\n"));
  }
}

TEST(Zpages, StatuszIsAnObjectForWhoAsks) {
  const auto reply = statusz(page(), kStructured);
  EXPECT_EQ(reply.content_type, "application/json");
  const auto object = boost::json::parse(reply.body).as_object();
  EXPECT_EQ(object.at("kind"), "Statusz");
  EXPECT_EQ(object.at("apiVersion"), "config.k8s.io/v1beta1");
  EXPECT_EQ(object.at("startTime"), "2023-11-14T22:13:20Z");
  EXPECT_EQ(object.at("uptimeSeconds"), 360'123);
  EXPECT_EQ(object.at("paths"), (boost::json::array{"/configz", "/livez", "/metrics"}));
  EXPECT_THAT(statusz(page(), "application/yaml; as=Statusz; v=v1alpha1; g=config.k8s.io").body,
              HasSubstr("apiVersion: config.k8s.io/v1alpha1"));
}

TEST(Zpages, WhatElseIsAskedForIsNotAcceptable) {
  for (const char* accept :
       {"application/json", "text/html", "application/json;as=Flagz;v=v1beta1;g=config.k8s.io",
        "application/json;as=Statusz;v=v2;g=config.k8s.io", ";;=,,", "text/plain;as=Statusz"}) {
    EXPECT_EQ(statusz(page(), accept).status, 406) << accept;
  }
}

TEST(Zpages, Flagz) {
  const std::map<std::string, std::string> flags{{"v", "2"}, {"config", "/etc/x.yaml"}, {"master", ""}};
  EXPECT_THAT(flagz(flags, "").body, StartsWith("\npodium flagz\nWarning: "));
  EXPECT_THAT(flagz(flags, "").body, HasSubstr("purposes only.\nconfig=/etc/x.yaml\nmaster=\nv=2\n"));
  const auto object =
      boost::json::parse(flagz(flags, "application/json;as=Flagz;v=v1beta1;g=config.k8s.io").body)
          .as_object();
  EXPECT_EQ(object.at("flags").at("config"), "/etc/x.yaml");
}

}  // namespace
}  // namespace podium::app::run
