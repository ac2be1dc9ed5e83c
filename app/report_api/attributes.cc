#include "app/report_api/attributes.h"

#include <utility>

namespace podium::app::report_api {

server::Attributes list_of_nodes() {
  server::Attributes out;
  out.verb = "list";
  out.version = "v1";
  out.resource = "nodes";
  return out;
}

server::Attributes create_of_reports(const std::string& ns) {
  server::Attributes out;
  out.verb = "create";
  out.ns = ns;
  out.group = "podium.dev";
  out.version = "v1alpha1";
  out.resource = "schedulingreports";
  return out;
}

server::Attributes of_pods(const char* verb, std::string ns) {
  server::Attributes out;
  out.verb = verb;
  out.ns = std::move(ns);
  out.version = "v1";
  out.resource = "pods";
  return out;
}

server::Attributes attributes_of(const Route& route, const std::string& ns) {
  if (route.form == Form::nodes) return list_of_nodes();
  auto out = create_of_reports(ns);
  const bool is_list = route.is_list() || route.form == Form::access;
  if (!route.is_question) out.verb = is_list ? "list" : "get";
  return out;
}

}  // namespace podium::app::report_api
