// The OpenAPI document: it is the one in docs/, and the server does what it says.
#include "app/report_api/openapi.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "api/text/yaml.h"
#include "unit/app/report_api/fixture.h"

namespace podium::app::report_api {
namespace {

TEST(OpenApi, TheDocumentIsWhatTheServerHas) {
  constexpr const char* kPath = "docs/openapi.json";
  const auto document = api::to_json(openapi_document());
  if (std::getenv("PODIUM_WRITE_DOCS")) std::ofstream(kPath) << document;
  std::ostringstream text;
  text << std::ifstream(kPath).rdbuf();
  EXPECT_EQ(text.str(), document) << "PODIUM_WRITE_DOCS=1 writes it";
}

// A valid value for each parameter.
std::string value_of(std::string_view parameter) {
  static const std::map<std::string_view, std::string> values{{"replicas", "2"},
                                                              {"minCount", "2"},
                                                              {"topologyKey", "zone"},
                                                              {"nodes", "n1"},
                                                              {"strategies", "NodeResourcesFit=5"},
                                                              {"fixes", "true"},
                                                              {"room", "true"},
                                                              {"profile", "default-scheduler"},
                                                              {"limit", "2"},
                                                              {"continue", "shop/a"},
                                                              {"waiting", "false"},
                                                              {"newest", "false"},
                                                              {"words", "true"},
                                                              {"seed", "7"},
                                                              {"since", "0-0"},
                                                              {"zonesOnly", "true"},
                                                              {"selector", "pool=big"},
                                                              {"namespace", "shop"},
                                                              {"allNamespaces", "true"}};
  return values.at(parameter);
}

// Every path and parameter of the document is answered, and only its methods.
TEST(OpenApi, TheServerAnswersWhatTheDocumentSays) {
  const auto document = openapi_document();
  std::size_t operations = 0;
  for (const auto& [pattern, methods] : document.at("paths").as_object()) {
    std::string path(pattern);
    for (const auto& [name, value] : {std::pair("{namespace}", "shop"), std::pair("{pod}", "web")}) {
      if (const auto at = path.find(name); at != path.npos)
        path.replace(at, std::string_view(name).size(), value);
    }
    for (const char* method : {"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"}) {
      Served served;
      served.decide();
      std::string lower(method);
      for (auto& c : lower) c = static_cast<char>(std::tolower(c));
      const auto* operation = methods.as_object().if_contains(lower);
      auto asked = path;
      if (operation) {
        ++operations;
        for (const auto& parameter : operation->at("parameters").as_array()) {
          if (parameter.at("in") != "query") continue;
          asked += (asked.contains('?') ? "&" : "?") + std::string(parameter.at("name").as_string()) + "=" +
                   value_of(std::string_view(parameter.at("name").as_string()));
        }
        EXPECT_EQ(served.send(served.request(method, asked, kPod)).status, 200) << method << " " << asked;
      } else {
        EXPECT_EQ(served.send(served.request(method, asked, kPod)).status, 405) << method << " " << asked;
      }
    }
  }
  EXPECT_EQ(operations, routes().size());
}

}  // namespace
}  // namespace podium::app::report_api
