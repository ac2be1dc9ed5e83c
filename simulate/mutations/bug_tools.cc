#include "simulate/mutations/bug_tools.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "simulate/base/object_fields.h"

namespace podium::simulate {

bool names(const client::Request& request, std::string_view text) {
  return request.target.find(text) != std::string::npos;
}
bool of_report(const client::Request& request) { return names(request, "/schedulingreports"); }
bool has_code(const Answer& answer, int code) { return answer && answer->status == code; }

void drop_metadata(client::Request& request, std::initializer_list<std::string_view> fields) {
  auto body = json::parse(request.body);
  auto* metadata = body.as_object().if_contains("metadata");
  if (!metadata || !metadata->is_object()) return;
  for (const auto field : fields) metadata->get_object().erase(field);
  request.body = json::serialize(body);
}

client::Response done(int status) {
  return {status, R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success"})"};
}

client::Response stored(int status, const client::Request& request) {
  auto object = json::parse(request.body);
  auto& metadata = object.as_object()["metadata"];
  if (!metadata.is_object()) metadata = json::object();
  metadata.get_object()["uid"] = "taken-for-stored";
  metadata.get_object()["resourceVersion"] = "1";
  return {status, json::serialize(object)};
}

bool is_line_of(const std::string& line, std::string_view type) {
  return line.starts_with("{\"type\":\"" + std::string(type) + '"');
}

Faults only(std::initializer_list<Fault> wanted) {
  auto faults = Faults::none();
  for (const auto fault : wanted) faults.add(fault);
  return faults;
}

}  // namespace podium::simulate
