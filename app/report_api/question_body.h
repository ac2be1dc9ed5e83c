// Reads the body of a what-if, in YAML or JSON: a pod or a workload, like the template of a SchedulingReport;
// or a SchedulingReport with dryRun: true, whose spec may not refer to objects of the cluster.
//
// Threads: pure functions; reading takes a while, so it belongs on a worker. Errors: Kind::invalid as
// "path: reason", with the paths of the body and of the query: "spec.containers", "replicas". Those of an
// answer are the same.
#pragma once

#include <boost/json/object.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace podium::explain {
struct Question;
}

namespace podium::app::report_api {

enum class ContentType : std::uint8_t { json, yaml };

// Nullopt: neither JSON nor YAML.
std::optional<ContentType> content_type_of(std::string_view header);
inline constexpr const char* kContentTypes = "application/json, application/yaml";

struct QuestionBody {
  QuestionBody() {}  // not an aggregate: see server::Request

  std::string text;
  ContentType type = ContentType::json;
  std::string ns;              // of the path
  std::string uid;             // unique; the UID of the evaluated pod
  boost::json::object fields;  // of spec, from the query
  bool withholds_node_names = false;
};

using QuestionPtr = std::shared_ptr<const explain::Question>;

Result<QuestionPtr> read_question_body(const QuestionBody& body);

}  // namespace podium::app::report_api
