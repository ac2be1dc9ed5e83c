// Messages about questions and objects name the places in the user's files.
#include "app/kubectl/file_places.h"

#include <gtest/gtest.h>

#include <string>

#include "api/text/yaml.h"
#include "base/result.h"

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
  const QuestionSource about_web{.subject = &objects.front(), .changes = {{}, {&objects[2]}, {&objects[1]}}};
};

TEST_F(FilePlaces, TheQuestionsTemplateIsTheObject) {
  const auto place = [&](const char* path, const char* reason) {
    return with_place({.path = path, .reason = reason}, about_web);
  };
  EXPECT_EQ(place("spec.template.spec.template.spec.containers[0].image", "required"),
            "f.yaml:9: spec.template.spec.containers[0].image: required");
  EXPECT_EQ(place("spec.template.spec.a", "no; really"), "f.yaml:4: spec.a: no; really");
  EXPECT_EQ(place("spec.replicas", "must be 1"), "spec.replicas: must be 1") << "a flag's";
  EXPECT_EQ(place("spec.template", "larger than 64 KiB"), "f.yaml:1: Deployment web: larger than 64 KiB");
  EXPECT_EQ(with_place({.path = "spec.template.spec.template.spec", .reason = "required"}, {&objects[1]}),
            "f.yaml:17: spec.jobTemplate.spec.template.spec: required")
      << "it is asked about as a Job";
  EXPECT_EQ(with_place({.path = "spec.template.spec", .reason = "no"}, QuestionSource()),
            "spec.template.spec: no");
}

TEST_F(FilePlaces, ChangesAreOtherObjects) {
  const auto place = [&](const char* path) { return with_place({.path = path, .reason = "no"}, about_web); };
  EXPECT_EQ(place("spec.changes[1].claims[0].spec.size"), "f.yaml:23: spec.size: no");
  EXPECT_EQ(place("spec.changes[2].template"), "f.yaml:11: CronJob nightly: no");
  for (const std::string stays : {"spec.changes[0].nodeName", "spec.changes[1].claims[7]",
                                  "spec.changes[9].template", "spec.changes", "spec.changes[x]"})
    EXPECT_EQ(place(stays.c_str()), stays + ": no");
}

TEST_F(FilePlaces, OwnFindingsAboutAnObjectHaveALineEach) {
  const Error error =
      invalid(std::vector<Finding>{{.path = "spec.template.spec.containers[0].image", .reason = "no"},
                                   {.reason = "and 3 more", .is_whole = true}})
          .error();
  EXPECT_EQ(with_places(error, objects[0]),
            "f.yaml:9: spec.template.spec.containers[0].image: no\nand 3 more");
}

TEST_F(FilePlaces, TheApiServerNamesFieldsOfTheObject) {
  Error error{.kind = Error::Kind::status, .message = "Deployment.apps \"web\" is invalid: spec: …"};
  error.status = {.code = 422, .reason = "Invalid", .kind = "Deployment", .name = "web"};
  error.status.causes = {{.reason = "FieldValueRequired",
                          .message = "Required value: a, spec.selector: b",
                          .field = "spec.template.spec.containers[0].image"}};
  EXPECT_EQ(
      with_places(error, objects[0]),
      "Deployment \"web\" is invalid: f.yaml:9: spec.template.spec.containers[0].image: Required value: "
      "a, spec.selector: b");
  error.status.causes.push_back(
      {.reason = "FieldValueRequired", .message = "Required value", .field = "spec.selector"});
  EXPECT_EQ(with_places(error, objects[0]),
            "Deployment \"web\" is invalid:\n"
            "f.yaml:9: spec.template.spec.containers[0].image: Required value: a, spec.selector: b\n"
            "f.yaml:4: spec.selector: Required value");
}

TEST_F(FilePlaces, AMessageWithoutCausesStays) {
  const auto place = [&](const char* message) {
    return with_places(Error{.kind = Error::Kind::status, .message = message}, objects[0]);
  };
  EXPECT_EQ(place("strict decoding error: unknown field \"spec.template.spec.containers[0].imaeg\", "
                  "unknown field \"spec.a\""),
            "strict decoding error: f.yaml:8: unknown field \"spec.template.spec.containers[0].imaeg\", "
            "f.yaml:4: unknown field \"spec.a\"");
  for (const auto* stays : {"pods \"web\" is forbidden: spec.containers: no", "spec.a: no", "spec["})
    EXPECT_EQ(place(stays), stays);
}

}  // namespace
}  // namespace podium::kubectl
