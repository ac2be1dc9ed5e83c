// Compares the table of known fields with objects that have every field of the API. known_fields_test.json
// has them from the testdata of k8s.io/api v0.37.2: 0 for a scalar, null for a value of a free-form map, {}
// for an object of a type that occurred before.
#include "api/decode/known_fields.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <fstream>
#include <sstream>
#include <string>

namespace podium::api::detail {
namespace {

namespace json = boost::json;

json::object objects_with_every_field() {
  std::ifstream file("unit/api/known_fields_test.json");
  std::stringstream text;
  text << file.rdbuf();
  return json::parse(text.str()).as_object();
}

// Maps with arbitrary keys, such as labels.
bool is_free(std::string_view key, const json::object& object) {
  return key == "fieldsV1" || (object.size() == 1 && object.begin()->value().is_null());
}

// Calls f(object, path) for every object below whose fields are checked.
template <typename F>
void each_object(json::value& value, std::string_view key, const std::string& path, F&& f) {
  if (auto* list = value.if_array()) return each_object(list->at(0), key, path + "[0]", f);
  auto* object = value.if_object();
  if (!object || is_free(key, *object)) return;
  for (auto& entry : *object) {
    const std::string_view field = entry.key();
    each_object(entry.value(), field, path.empty() ? std::string(field) : path + "." + std::string(field), f);
  }
  f(*object, key, path);
}

TEST(KnownFields, EveryFieldOfTheApiIsKnown) {
  const auto objects = objects_with_every_field();
  EXPECT_EQ(objects.size(), 26u);
  for (const auto& [kind, object] : objects)
    EXPECT_EQ(first_unknown_field(object, kind), std::nullopt) << kind;
}

TEST(KnownFields, ListsAreListsOfTheApi) {
  for (const auto& [kind, object] : objects_with_every_field()) {
    for (const auto& [path, reason] : wrong_types(object, kind, 10'000)) {
      EXPECT_NE(reason, "expected an object, got a list") << std::string_view(kind) << ' ' << path;
      EXPECT_NE(reason, "expected a list, got an object") << std::string_view(kind) << ' ' << path;
    }
  }
}

// Maps to objects ("field:*Type") may have any key, so an unknown key there is no finding.
TEST(KnownFields, AFieldThatIsNotOfTheApiIsFoundInEveryObject) {
  auto objects = objects_with_every_field();
  std::size_t tried = 0;
  for (auto& entry : objects) {
    const std::string kind{std::string_view(entry.key())};
    each_object(
        entry.value(), kind, "", [&](json::object& object, std::string_view key, const std::string& path) {
          if (object.contains(std::string(key) + "Key")) return;
          object["colour"] = 0;
          EXPECT_EQ(first_unknown_field(entry.value(), kind), path.empty() ? "colour" : path + ".colour")
              << kind;
          object.erase("colour");
          ++tried;
        });
  }
  EXPECT_GT(tried, 200u);
}

// As the API server, which does not convert them.
TEST(KnownFields, ValuesHaveTheTypeOfTheApi) {
  const auto wrong = [](std::string_view text) {
    std::string out;
    for (const auto& [path, reason] : wrong_types(json::parse(text), "Deployment"))
      out += fmt::format("{}{}: {}", out.empty() ? "" : "; ", path, reason);
    return out;
  };
  EXPECT_EQ(wrong(R"({"metadata": {"name": "web", "creationTimestamp": null, "labels": {"a": "1"}},
      "spec": {"replicas": 3, "paused": false, "strategy": {"rollingUpdate": {"maxSurge": "25%"}},
      "template": {"spec": {"containers": [{"args": ["a"], "env": [{"name": "A", "value": "1"}],
      "livenessProbe": {"httpGet": {"port": "http"}}, "resources": {"limits": {"cpu": 1}}}]}}}})"),
            "");
  EXPECT_EQ(wrong(R"({"metadata": {"labels": {"a": 1}}, "spec": {"replicas": "3", "paused": "no"}})"),
            "metadata.labels.a: expected a string, got a number; "
            "spec.replicas: expected an integer, got a string; "
            "spec.paused: expected a boolean, got a string");
  EXPECT_EQ(wrong(R"({"spec": {"template": {"spec": {"securityContext": true, "containers": [{"args": "run",
      "ports": {"containerPort": 80}, "env": [{"name": "PORT", "value": 80}, "X"]}]}}}})"),
            "spec.template.spec.securityContext: expected an object, got a boolean; "
            "spec.template.spec.containers[0].args: expected a list, got a string; "
            "spec.template.spec.containers[0].ports: expected a list, got an object; "
            "spec.template.spec.containers[0].env[0].value: expected a string, got a number; "
            "spec.template.spec.containers[0].env[1]: expected an object, got a string");
}

TEST(KnownFields, KindsThatAreNotKnownMayHaveAnything) {
  EXPECT_EQ(first_unknown_field(json::object{{"colour", "red"}}, "Paint"), std::nullopt);
}

}  // namespace
}  // namespace podium::api::detail
