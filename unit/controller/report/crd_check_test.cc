// CrdCheck: what an older CRD lacks, and that its list of fields is the CRD's.
#include "controller/report/crd_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <sstream>

#include "api/text/yaml.h"
#include "explain/report/json.h"
#include "unit/controller/report/log_capture.h"
#include "unit/controller/report/served_api.h"
#include "unit/explain/report/filled.h"

namespace podium::controller {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;
using Problems = std::vector<std::string>;

json::value own_crd() {
  std::ifstream file("crds/schedulingreports.podium.dev.yaml");
  std::stringstream text;
  text << file.rdbuf();
  return api::parse_documents(text.str(), "crds").value().at(0).value;
}

json::object& version(json::value& crd) { return crd.at("spec").at("versions").as_array().at(0).as_object(); }

json::object& properties(json::value& crd, const std::string& pointer) {
  return version(crd).at("schema").at("openAPIV3Schema").at_pointer(pointer + "/properties").as_object();
}

void collect(const json::value& schema, const std::string& path, Problems& out) {
  if (const auto* items = schema.as_object().if_contains("items")) collect(*items, path, out);
  const auto* fields = schema.as_object().if_contains("properties");
  if (!fields) return;
  for (const auto& [name, field] : fields->as_object()) {
    const bool is_common = path.empty() && (name == "apiVersion" || name == "kind" || name == "metadata");
    if (is_common) continue;
    const auto full = path.empty() ? std::string(name) : path + "." + std::string(name);
    out.push_back(full);
    collect(field, full, out);
  }
}

TEST(CrdCheck, KnowsTheFieldsOfItsOwnCrd) {
  auto crd = own_crd();
  Problems fields;
  collect(version(crd).at("schema").at("openAPIV3Schema"), "", fields);
  std::ranges::sort(fields);
  const auto known = report_fields();
  EXPECT_EQ(Problems(known.begin(), known.end()), fields);
  EXPECT_EQ(crd_problems(crd), Problems());
}

bool has_type(const json::value& value, std::string_view type) {
  switch (value.kind()) {
    case json::kind::object:
      return type == "object";
    case json::kind::array:
      return type == "array";
    case json::kind::string:
      return type == "string";
    case json::kind::bool_:
      return type == "boolean";
    case json::kind::int64:
    case json::kind::uint64:
      return type == "integer" || type == "number";
    default:
      return false;
  }
}

// The paths at which the schema has another type than the value.
void collect_differences(const json::value& schema, const json::value& value, const std::string& path,
                         Problems& out) {
  const auto* type = schema.as_object().if_contains("type");
  if (type && !has_type(value, type->as_string())) out.push_back(path);
  if (const auto* list = value.if_array()) {
    for (const auto& item : *list) collect_differences(schema.at("items"), item, path, out);
  }
  const auto* fields = schema.as_object().if_contains("properties");
  if (!fields || !value.is_object()) return;
  for (const auto& [name, field] : fields->as_object()) {
    if (const auto* member = value.as_object().if_contains(name))
      collect_differences(field, *member, path + "." + std::string(name), out);
  }
}

TEST(CrdCheck, TheTypesOfTheStatusAreThoseOfItsOwnCrd) {
  auto crd = own_crd();
  const auto differences = [&] {
    Problems out;
    const json::value status = properties(crd, "").at("status");
    collect_differences(status, explain::to_json(explain::filled(2)), "status", out);
    return out;
  };
  EXPECT_EQ(differences(), Problems());
  properties(crd, "/properties/status/properties/choice")["score"] = {{"type", "string"}};
  EXPECT_EQ(differences(), Problems{"status.choice.score"}) << "a difference is found";
}

TEST(CrdCheck, NamesWhatIsMissing) {
  struct Case {
    const char* name;
    std::function<void(json::value& crd)> change;
    Problems problems;
  };
  const Case cases[] = {
      {"a field",
       [](auto& crd) { properties(crd, "/properties/status").erase("placements"); },
       {"status.placements"}},
      {"a field with fields",
       [](auto& crd) { properties(crd, "/properties/status").erase("strategies"); },
       {"status.strategies"}},
      {"a field of a list's items",
       [](auto& crd) { properties(crd, "/properties/status/properties/strategies/items").erase("weight"); },
       {"status.strategies.weight"}},
      {"the status subresource",
       [](auto& crd) { version(crd).erase("subresources"); },
       {"the status subresource"}},
      {"the selectable field",
       [](auto& crd) { version(crd).erase("selectableFields"); },
       {"selectable field .spec.dryRun"}},
      {"not served", [](auto& crd) { version(crd)["served"] = false; }, {"version v1alpha1 is not served"}},
      {"another version", [](auto& crd) { version(crd)["name"] = "v1"; }, {"version v1alpha1 is not served"}},
      {"a newer one",
       [](auto& crd) { properties(crd, "/properties/status")["later"] = {{"type", "string"}}; },
       {}},
      {"anything goes",
       [](auto& crd) {
         version(crd)["schema"].as_object()["openAPIV3Schema"] = {
             {"x-kubernetes-preserve-unknown-fields", true}};
       },
       {}},
  };
  for (const auto& c : cases) {
    auto crd = own_crd();
    c.change(crd);
    EXPECT_EQ(crd_problems(crd), c.problems) << c.name;
  }
  EXPECT_EQ(crd_problems(json::object()), Problems{"version v1alpha1 is not served"});
}

struct Checking : unit::ServedApi {
  Checking() { check.start(); }
  ~Checking() {
    gate.cancel();
    io.restart();
    io.run();
  }
  void put(json::value crd) { server.put("customresourcedefinitions", std::move(crd)); }
  void run_until(const std::function<bool()>& done) {
    io.restart();
    for (int i = 0; i < 10'000 && !done(); ++i) io.run_one_for(100ms);
    EXPECT_TRUE(done());
  }

  unit::LogCapture log;
  async::Gate gate;
  CrdCheck check{api, gate, io.get_executor()};
};

TEST(CrdCheck, SaysOnceWhatIsMissing) {
  Checking checking;
  auto old = own_crd();
  properties(old, "/properties/status").erase("strategies");
  checking.put(old);
  EXPECT_EQ(checking.check.ready(), std::nullopt);
  checking.run_until([&] { return checking.check.ready().has_value(); });
  EXPECT_EQ(checking.check.ready(), false);
  EXPECT_EQ(checking.log.count("missing=\"status.strategies\""), 1);
}

TEST(CrdCheck, WithoutTheRightItSaysSoOnce) {
  Checking checking;
  checking.server.refuse(1'000,
                         client::Response{403, R"({"kind":"Status","code":403,"reason":"Forbidden","message":
    "User \"x\" cannot get resource \"customresourcedefinitions\""})"});
  checking.run_until([&] { return checking.log.count("cannot check the SchedulingReport CRD") > 0; });
  EXPECT_EQ(checking.log.count("verb=get resource=customresourcedefinitions"), 1);
  EXPECT_EQ(checking.check.ready(), std::nullopt);
}

}  // namespace
}  // namespace podium::controller
