// Messages about questions and objects name the places in the user's files.
#include "app/kubectl/file_places.h"

#include <gtest/gtest.h>

#include <string>

#include "api/text/yaml.h"

namespace podium::kubectl {
namespace {

constexpr const char* kFile =
    "apiVersion: apps/v1\n"
    "kind: Deployment\n"
    "metadata: {name: web}\n"
    "spec:\n"
    "  template:\n"
    "    spec:\n"
    "      containers:\n"
    "      - name: c\n"
    "        image: i\n"
    "---\n"
    "apiVersion: batch/v1\n"
    "kind: CronJob\n"
    "metadata: {name: nightly}\n"
    "spec:\n"
    "  jobTemplate:\n"
    "    spec:\n"
    "      template: {}\n"
    "---\n"
    "apiVersion: v1\n"
    "kind: PersistentVolumeClaim\n"
    "metadata: {name: data}\n"
    "spec:\n"
    "  size: 1\n";

class FilePlaces : public testing::Test {
 protected:
  Problems problems;
  const std::vector<api::SortedObjects::Object> objects =
      api::sort_objects(*api::parse_documents(kFile, "f.yaml"), "f.yaml", problems).objects;
  const QuestionSource about_web{.subject = &objects[0], .changes = {{}, {&objects[2]}, {&objects[1]}}};
};

TEST_F(FilePlaces, TheQuestionsTemplateIsTheObject) {
  EXPECT_EQ(with_places("spec.template.spec.template.spec.containers[0].image: required", about_web),
            "f.yaml:9: spec.template.spec.containers[0].image: required");
  EXPECT_EQ(with_places("spec.template.spec.a: no; spec.replicas: must be 1", about_web),
            "f.yaml:4: spec.a: no; spec.replicas: must be 1")
      << "the replicas are a flag's";
  EXPECT_EQ(with_places("spec.template: larger than 64 KiB", about_web),
            "f.yaml:1: Deployment web: larger than 64 KiB");
  const QuestionSource about_nightly{.subject = &objects[1]};
  EXPECT_EQ(with_places("spec.template.spec.template.spec: required", about_nightly),
            "f.yaml:17: spec.jobTemplate.spec.template.spec: required")
      << "it is asked about as a Job";
  EXPECT_EQ(with_places("spec.template.spec: no", QuestionSource()), "spec.template.spec: no");
}

TEST_F(FilePlaces, ChangesAreOtherObjects) {
  EXPECT_EQ(with_places("spec.changes[1].claims[0].spec.size: unknown field", about_web),
            "f.yaml:23: spec.size: unknown field");
  EXPECT_EQ(with_places("spec.changes[2].template: no", about_web), "f.yaml:11: CronJob nightly: no");
  for (const auto* stays : {"spec.changes[0].nodeName: there is no node", "spec.changes[1].claims[7]: no",
                            "spec.changes[9].template: no", "spec.changes: no", "spec.changes[x]: no"})
    EXPECT_EQ(with_places(stays, about_web), stays);
}

TEST_F(FilePlaces, TheApiServerNamesFieldsOfTheObject) {
  EXPECT_EQ(
      with_places("Deployment.apps \"web\" is invalid: [spec.template.spec.containers[0].image: Required "
                  "value, spec.selector: Required value]",
                  objects[0]),
      "Deployment.apps \"web\" is invalid: [f.yaml:9: spec.template.spec.containers[0].image: Required "
      "value, f.yaml:4: spec.selector: Required value]");
  EXPECT_EQ(
      with_places(
          "strict decoding error: unknown field \"spec.template.spec.containers[0].imaeg\", unknown field "
          "\"spec.a\"",
          objects[0]),
      "strict decoding error: f.yaml:8: unknown field \"spec.template.spec.containers[0].imaeg\", f.yaml:4: "
      "unknown field \"spec.a\"");
  for (const auto* stays :
       {"the specification: x", "pod.spec.containers: x", "spec", "spec[", "metadata and spec"})
    EXPECT_EQ(with_places(stays, objects[0]), stays);
}

}  // namespace
}  // namespace podium::kubectl
