// `kubectl get all -o yaml` prints a workload together with what its controllers have made.
#include "explain/workload/made_by.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/text/json_view.h"
#include "api/text/yaml.h"
#include "base/problems.h"

namespace podium::explain {
namespace {

using FileObjects = std::vector<api::SortedObjects::Object>;

std::string made(const char* kind, const std::string& name, const char* by, const std::string& of,
                 const std::string& more = "") {
  const std::string version = std::string_view(kind) == "Pod"          ? "v1"
                              : std::string_view(kind) == "ReplicaSet" ? "apps/v1"
                                                                       : "batch/v1";
  return "---\n{apiVersion: " + version + ", kind: " + kind + ", metadata: {name: " + name + more +
         ", ownerReferences: [{apiVersion: v1, kind: " + by + ", name: " + of +
         ", uid: u, controller: true}]}}\n";
}

std::string author(const char* version, const char* kind, const std::string& name, const char* more = "") {
  return std::string("---\n{apiVersion: ") + version + ", kind: " + kind + ", metadata: {name: " + name +
         more + "}}\n";
}

FileObjects objects_in(const std::string& text) {
  Problems problems;
  return api::sort_objects(*api::parse_documents(text, "all.yaml"), "all.yaml", problems).objects;
}

// The names of those that are asked about, and what is said of the others.
std::vector<std::string> asked_of(const std::string& text, const std::string& other_file = "") {
  auto of_file = objects_in(text);
  FileWorkloads workloads("shop");
  workloads.add(of_file);
  workloads.add(objects_in(other_file));
  auto said = workloads.drop_made(of_file);
  std::vector<std::string> out;
  for (const auto& each : of_file) out.push_back(api::text_at(each.value, "/metadata/name"));
  out.push_back(std::move(said));
  return out;
}

using testing::ElementsAre;

TEST(FileWorkloads, WhatTheyHaveMadeIsNotAskedAbout) {
  const auto hash = ", labels: {pod-template-hash: 5d}";
  const auto web = author("apps/v1", "Deployment", "web"),
             set = made("ReplicaSet", "web-5d", "Deployment", "web"),
             pod = made("Pod", "web-5d-a", "ReplicaSet", "web-5d", hash);
  EXPECT_THAT(asked_of(pod + web + set),
              ElementsAre("web", "2 objects of the workloads (Pod web-5d-a and ReplicaSet web-5d)"));
  EXPECT_THAT(asked_of(web + pod), ElementsAre("web", "1 object of the workloads (Pod web-5d-a)"))
      << "without its ReplicaSet";
  EXPECT_THAT(asked_of(set + pod), ElementsAre("web-5d", "1 object of the workloads (Pod web-5d-a)"));
  EXPECT_THAT(asked_of(pod), ElementsAre("web-5d-a", ""));
  EXPECT_THAT(asked_of(pod, web), ElementsAre("1 object of the workloads (Pod web-5d-a)"))
      << "in another file";
  EXPECT_THAT(asked_of(author("batch/v1", "CronJob", "nightly") +
                       made("Job", "nightly-29929560", "CronJob", "nightly") +
                       made("Pod", "nightly-29929560-x", "Job", "nightly-29929560") +
                       made("Pod", "db-0", "StatefulSet", "db")),
              ElementsAre("nightly", "db-0",
                          "2 objects of the workloads (Job nightly-29929560 and Pod nightly-29929560-x)"));
}

TEST(FileWorkloads, AnObjectOfAnotherOwnerOrNamespaceIsAskedAbout) {
  const auto pod = made("Pod", "db-0", "StatefulSet", "db");
  EXPECT_THAT(asked_of(pod + author("apps/v1", "StatefulSet", "db", ", namespace: ml")),
              ElementsAre("db-0", "db", ""));
  EXPECT_THAT(asked_of(pod + author("apps/v1", "StatefulSet", "db", ", namespace: shop")),
              ElementsAre("db", "1 object of the workloads (Pod db-0)"));
  EXPECT_THAT(asked_of(pod + author("apps/v1", "Deployment", "db")), ElementsAre("db-0", "db", ""));
  EXPECT_THAT(asked_of(made("Pod", "proxy-n1", "Node", "n1") + author("v1", "Pod", "n1")),
              ElementsAre("proxy-n1", "n1", ""));
}

}  // namespace
}  // namespace podium::explain
