// Compares the table of known fields with objects that have every field of the API. known_fields_test.json
// has them from the testdata of k8s.io/api v0.37.2: 0 for a scalar, null for a value of a free-form map, {}
// for an object of a type that occurred before.
#include "api/decode/known_fields.h"

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

TEST(KnownFields, KindsThatAreNotKnownMayHaveAnything) {
  EXPECT_EQ(first_unknown_field(json::object{{"colour", "red"}}, "Paint"), std::nullopt);
}

}  // namespace
}  // namespace podium::api::detail
