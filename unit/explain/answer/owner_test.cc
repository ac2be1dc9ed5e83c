// The workload of a pod: from its controller, from what the caller knows, and from the controllers' names.
#include "explain/workload/owner.h"

#include <gtest/gtest.h>

#include <ostream>

#include "api/values/meta.h"
#include "base/time.h"

namespace podium::explain {

void PrintTo(const Owner& owner, std::ostream* out) { *out << owner.kind << '/' << owner.name; }

namespace {

api::ObjectMeta owned_by(const char* kind, const char* name) {
  api::ObjectMeta meta;
  meta.name = "p";
  meta.created = parse_time("2026-11-27T10:00:05Z");  // minute 29929560
  api::OwnerReference other{
      .api_version = "v1", .kind = "Lease", .name = "l", .uid = "u", .controller = false};
  api::OwnerReference controller{
      .api_version = "v1", .kind = kind, .name = name, .uid = "u", .controller = true};
  meta.owners = {other, controller};
  return meta;
}

TEST(WorkloadOf, NamesOfControllersAreTakenApart) {
  struct Case {
    const char *kind, *name, *hash;
    Owner expect;
  };
  const Case cases[] = {
      {"ReplicaSet", "web-7d4b9c", "7d4b9c", {"Deployment", "web"}},
      {"ReplicaSet", "web-7d4b9c", "", {"ReplicaSet", "web-7d4b9c"}},
      {"ReplicaSet", "web-7d4b9c", "4b9c", {"ReplicaSet", "web-7d4b9c"}},
      {"ReplicaSet", "-7d4b9c", "7d4b9c", {"ReplicaSet", "-7d4b9c"}},
      {"StatefulSet", "db-1", "1", {"StatefulSet", "db-1"}},
      {"Job", "nightly-29929560", "", {"CronJob", "nightly"}},
      {"Job", "nightly-29929561", "", {"Job", "nightly-29929561"}},  // the minute after
      {"Job", "nightly-20260101", "", {"Job", "nightly-20260101"}},  // a date
      {"Job", "load-1", "", {"Job", "load-1"}},
      {"Job", "29929560", "", {"Job", "29929560"}},
      {"Job", "nightly", "", {"Job", "nightly"}},
  };
  for (const auto& c : cases) {
    auto meta = owned_by(c.kind, c.name);
    if (*c.hash) meta.labels.set("pod-template-hash", c.hash);
    EXPECT_EQ(workload_of(meta), c.expect) << c.name << " " << c.hash;
  }
  EXPECT_EQ(workload_of({}), Owner()) << "no controller";
  auto unborn = owned_by("Job", "nightly-29929560");
  unborn.created.reset();
  EXPECT_EQ(workload_of(unborn), (Owner{"Job", "nightly-29929560"}));
}

TEST(WorkloadOf, WhatTheCallerKnowsComesFirst) {
  auto meta = owned_by("ReplicaSet", "web-7d4b9c");
  meta.labels.set("pod-template-hash", "7d4b9c");
  EXPECT_EQ(workload_of(meta, [](const Owner& below) { return Owner{"Rollout", "of-" + below.name}; }),
            (Owner{"Rollout", "of-web-7d4b9c"}));
  EXPECT_EQ(workload_of(meta, [](const Owner&) { return std::nullopt; }), (Owner{"Deployment", "web"}));
  EXPECT_EQ(workload_of(owned_by("StatefulSet", "db"), [](const Owner&) { return Owner{"X", "y"}; }),
            (Owner{"StatefulSet", "db"}))
      << "an operator's object above it is not the workload";
}

}  // namespace
}  // namespace podium::explain
