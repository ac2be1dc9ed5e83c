// Whatever a report or an answer has in it, its JSON is within the bounds of the CRD's schema: the API server
// refuses a whole report for one text that is too long.
#include <gtest/gtest.h>

#include <boost/json/value.hpp>
#include <cstdint>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

#include "api/text/yaml.h"
#include "explain/report/json.h"
#include "unit/explain/report/filled.h"

namespace podium::explain {
namespace {

namespace json = boost::json;

json::value status_schema() {
  std::ifstream file("crds/schedulingreports.podium.dev.yaml");
  std::stringstream text;
  text << file.rdbuf();
  const auto documents = api::parse_documents(text.str(), "crd.yaml");
  EXPECT_TRUE(documents) << "run it in the project's folder";
  return documents->at(0).value.at_pointer("/spec/versions/0/schema/openAPIV3Schema/properties/status");
}

std::size_t characters_of(std::string_view text) {
  std::size_t count = 0;
  for (const char byte : text) count += (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
  return count;
}

class Judge {
 public:
  explicit Judge(Beyond beyond) : beyond_(beyond) {}

  void judge(const std::string& path, const json::value& schema, const json::value& value) const {
    const auto type = schema.at("type").as_string();
    if (type == "object") {
      const auto* properties = schema.as_object().if_contains("properties");
      for (const auto& [key, member] : value.as_object()) {
        const auto* one = properties ? properties->as_object().if_contains(key) : nullptr;
        if (one) judge(path + "." + std::string(key), *one, member);
      }
    } else if (type == "array") {
      const auto most = schema.at("maxItems").to_number<std::size_t>();
      const auto& items = value.as_array();
      if (beyond_ == Beyond::lists) {
        EXPECT_EQ(items.size(), most) << path << ": a list that is cut has what the CRD allows";
      }
      EXPECT_LE(items.size(), most) << path;
      for (const auto& item : items) judge(path, schema.at("items"), item);
    } else if (type == "string" && schema.as_object().contains("maxLength")) {
      EXPECT_LE(characters_of(value.as_string()), schema.at("maxLength").to_number<std::size_t>()) << path;
    } else if (type == "integer" && schema.at("format") == "int32") {
      EXPECT_TRUE(value.is_int64() && value.get_int64() <= std::numeric_limits<std::int32_t>::max())
          << path << ": " << value;
    } else if (type == "integer") {
      EXPECT_TRUE(value.is_int64()) << path << ": " << value;
    }
  }

 private:
  Beyond beyond_;
};

TEST(CrdBounds, NoTextNumberOrListIsBeyondThem) {
  const auto schema = status_schema();
  for (const auto beyond : {Beyond::texts_and_numbers, Beyond::lists}) {
    const auto status = filled(1, beyond);
    Judge(beyond).judge("status", schema, to_json(status));
  }
}

}  // namespace
}  // namespace podium::explain
