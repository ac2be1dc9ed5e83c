#include "simulate/server/api_server.h"

#include <fmt/format.h>

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "simulate/protocol/patch.h"
#include "simulate/server/resource_claims.h"

namespace podium::simulate {
namespace {

using client::Response;

constexpr std::chrono::seconds kPagesLast{120};

Response status(int code, std::string_view reason, std::string_view message, const Route& route,
                const std::string& name) {
  return {code, json::serialize(json::object{{"kind", "Status"},
                                             {"apiVersion", "v1"},
                                             {"status", "Failure"},
                                             {"message", message},
                                             {"reason", reason},
                                             {"details", {{"name", name}, {"kind", route.plural}}},
                                             {"code", code}})};
}

// Discovery, of what has a reader that may do without it.
constexpr std::string_view kServedGroups =
    R"({"kind":"APIGroupList","groups":[{"name":"resource.k8s.io","versions":[{"version":"v1"}]}]})";
constexpr std::string_view kServedDeviceKinds =
    R"({"kind":"APIResourceList","resources":[{"name":"resourceclaims"},{"name":"resourceslices"},)"
    R"({"name":"deviceclasses"},{"name":"devicetaintrules"}]})";

Response not_found(const Route& route) {
  return status(404, "NotFound", fmt::format("{} \"{}\" not found", route.plural, route.name), route,
                route.name);
}

Response conflict(const Route& route, std::string_view why) {
  return status(409, "Conflict",
                fmt::format("Operation cannot be fulfilled on {} \"{}\": {}", route.plural, route.name, why),
                route, route.name);
}

// Reduces an object as `Accept: …as=PartialObjectMetadata` does.
std::string brief_text(const Stored& object) {
  return R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":)" +
         json::serialize(object.value.at("metadata")) + "}";
}

bool wants_brief(const client::Request& request) {
  return request.accept.find("PartialObjectMetadata") != std::string::npos;
}

Response object_reply(int code, const Stored& object, const client::Request& request) {
  return {code, wants_brief(request) ? brief_text(object) : object.text()};
}

// A UID or a resourceVersion that the object does not have; empty: none.
std::string broken_precondition(const json::value& asked, const json::value& object) {
  const auto uid = text_at(asked, "/uid"), version = text_at(asked, "/resourceVersion");
  const auto its = uid_of(object);
  if (!uid.empty() && uid != its)
    return fmt::format("Precondition failed: UID in precondition: {}, UID in object meta: {}", uid, its);
  if (!version.empty() && version != text_at(object, "/metadata/resourceVersion"))
    return "the object has been modified; please apply your changes to the latest version and try again";
  return {};
}

std::optional<json::value> parsed(const std::string& text, const json::storage_ptr& storage = {}) {
  boost::system::error_code failure;
  auto value = json::parse(text.empty() ? "{}" : text, failure, storage);
  if (failure) return std::nullopt;
  return value;
}

// Source: pkg/registry/core/pod/strategy.go, PrepareForCreate and applySchedulingGatedCondition.
json::object state_of_new_pod(const json::value& pod) {
  json::object state{{"phase", "Pending"}};
  const auto* gates = find_at(pod, "/spec/schedulingGates");
  if (gates && gates->is_array() && !gates->get_array().empty()) {
    state["conditions"] =
        json::array{{{"type", "PodScheduled"},
                     {"status", "False"},
                     {"reason", "SchedulingGated"},
                     {"message", "Scheduling is blocked due to non-empty scheduling gates"}}};
  }
  return state;
}

bool has_status(const std::string& plural) {
  return plural == "pods" || plural == "schedulingreports" || plural == kClaims;
}

// Gives the object back all fields but the status. Most writes do not change them, so this compares them: a
// copy takes more time.
void keep_all_but_status(const json::object& stored, json::object& written) {
  std::vector<std::string> added;
  for (const auto& [name, _] : written) {
    if (name != "status" && !stored.contains(name)) added.emplace_back(name);
  }
  for (const auto& name : added) written.erase(name);
  for (const auto& [name, value] : stored) {
    if (name == "status") continue;
    const auto* now = written.if_contains(name);
    if (!now || !equal(*now, value)) written[name] = value;
  }
}

// A write of the status changes nothing else; any other write does not change it.
json::value written(const Route& route, const json::value& before, json::value after) {
  const bool of_status = route.subresource == "status";
  if (!of_status && !has_status(route.plural)) return after;
  auto& written = after.as_object();
  const auto& stored = before.as_object();
  if (of_status) {
    keep_all_but_status(stored, written);
    return after;
  }
  written.erase("status");
  if (const auto* kept = stored.if_contains("status")) written["status"] = *kept;
  return after;
}

Response too_large_version(const std::string& version) {
  const auto message = "Too large resource version: " + version;
  const json::array causes{
      {{"reason", "ResourceVersionTooLarge"}, {"message", "Too large resource version"}}};
  return {504, json::serialize(json::object{{"kind", "Status"},
                                            {"apiVersion", "v1"},
                                            {"status", "Failure"},
                                            {"message", message},
                                            {"reason", "Timeout"},
                                            {"details", {{"causes", causes}}},
                                            {"code", 504}})};
}

}  // namespace

Response status_reply(int code, std::string_view reason, std::string_view message) {
  return {code, json::serialize(json::object{{"kind", "Status"},
                                             {"apiVersion", "v1"},
                                             {"status", "Failure"},
                                             {"message", message},
                                             {"reason", reason},
                                             {"code", code}})};
}

ApiServer::ApiServer(Store& store, Agenda& agenda, Dice dice)
    : store_(store), agenda_(agenda), dice_(dice), watches_(store, agenda, dice_.fork()) {}

Response ApiServer::not_understood(const client::Request& request, std::string_view why) const {
  if (unknown) unknown(request, why);
  return status_reply(501, "NotImplemented", why);
}

std::optional<Response> ApiServer::refusal(std::string_view verb, const Route& route) const {
  const auto why = refuses ? refuses(verb, route.key()) : std::nullopt;
  if (!why) return std::nullopt;
  return status(403, "Forbidden", *why, route, route.name);
}

Response ApiServer::serve(const client::Request& request, const std::string& by) {
  if (request.method == "GET" && request.target == "/apis") return {200, std::string(kServedGroups)};
  if (request.method == "GET" && request.target == "/apis/resource.k8s.io/v1")
    return {200, std::string(kServedDeviceKinds)};
  const auto route = parse_route(request.target);
  if (!route) return not_understood(request, "unknown path");
  if (request.method == "GET") {
    if (!route->subresource.empty()) return not_understood(request, "unknown subresource");
    return route->name.empty() ? list(*route, wants_brief(request)) : get(*route);
  }
  if (request.method == "POST") return create(*route, request, by);
  if (request.method == "DELETE")
    return route->name.empty() ? remove_all(*route, by) : remove(*route, request, by);
  if (route->name.empty()) return not_understood(request, "a write without a name");
  if (request.method == "PATCH") return patch(*route, request, by);
  auto body = parsed(request.body);
  if (request.method != "PUT" || (route->plural != "leases" && route->plural != kClaims) || !body)
    return not_understood(request, "unknown write");
  return replace(*route, std::move(*body), by);
}

Response ApiServer::get(const Route& route) const {
  const auto object = store_.find(route.key());
  return object ? Response{200, object->text()} : not_found(route);
}

// Pages come from the state of the first one, as long as that is not compacted.
Response ApiServer::list(const Route& route, bool brief) {
  const auto selector = RouteSelector::of(route);
  if (!selector) return not_understood({}, "unknown selector");
  Page left;
  if (const auto token = route.parameter("continue"); !token.empty()) {
    const auto it = pages_.find(token);
    if (it == pages_.end() || it->second.version < store_.compacted())
      return status_reply(410, "Expired", "The provided continue parameter is too old");
    left = it->second;
  } else {
    left.version = store_.version();
    for (auto& object : store_.all(route.plural, route.ns)) {
      if (selector->matches(object->value)) left.items.push_back(std::move(object));
    }
  }
  const auto limit = route.parameter("limit");
  const std::size_t most = limit.empty() ? left.items.size() : std::min<std::size_t>(std::stoul(limit), page);
  std::string items;
  for (std::size_t i = 0; i < std::min(most, left.items.size()); ++i) {
    if (i > 0) items += ',';
    items += brief ? brief_text(*left.items[i]) : left.items[i]->text();
  }
  std::string token;
  const auto version = left.version;
  if (left.items.size() > most) {
    left.items.erase(left.items.begin(), left.items.begin() + static_cast<std::ptrdiff_t>(most));
    token = fmt::format("page-{}", ++tokens_);
    pages_[token] = std::move(left);
    agenda_.after(kPagesLast, [this, token] { pages_.erase(token); });
  }
  return {
      200,
      fmt::format(
          R"({{"kind":"List","apiVersion":"v1","metadata":{{"resourceVersion":"{}","continue":"{}"}},"items":[{}]}})",
          version, token, items)};
}

Response ApiServer::create(const Route& route, const client::Request& request, const std::string& by) {
  auto body = parsed(request.body);
  if (!body || !body->is_object()) return status_reply(400, "BadRequest", "not JSON");
  if (route.plural == "pods" && route.subresource == "binding") return bind(route, *body, by);
  if (!route.subresource.empty() || !route.name.empty()) return not_understood(request, "unknown creation");
  Route made = route;
  made.name = text_at(*body, "/metadata/name");
  if (made.name.empty() || text_at(*body, "/metadata/namespace") != route.ns)
    return status_reply(400, "BadRequest", "the object has no name, or another namespace");
  if (store_.find(made.key()))
    return status(409, "AlreadyExists", fmt::format("{} \"{}\" already exists", made.plural, made.name), made,
                  made.name);
  if (auto refused = refusal("create", made)) return std::move(*refused);
  if (has_status(route.plural)) body->as_object().erase("status");
  if (route.plural == "pods") body->as_object()["status"] = state_of_new_pod(*body);
  if (route.plural == kClaims) body->as_object()["status"] = json::object();
  const auto stored = store_.create(made.key(), std::move(*body), by);
  return object_reply(201, *stored, request);
}

// Source: pkg/registry/core/pod/storage/storage.go, BindingREST and setPodNodeAndMetadata.
Response ApiServer::bind(const Route& route, const json::value& body, const std::string& by) {
  const auto pod = store_.find(route.key());
  if (!pod) return not_found(route);
  const auto node = text_at(body, "/target/name"), there = text_at(pod->value, "/spec/nodeName");
  if (node.empty()) return status_reply(422, "Invalid", "target.name: Required value");
  const json::value asked{{"uid", uid_of(body)}};
  if (const auto broken = broken_precondition(asked, pod->value); !broken.empty())
    return conflict(route, broken);
  if (is_leaving(pod->value))
    return conflict(route, fmt::format("pod {} is being deleted, cannot be assigned to a host", route.name));
  if (!there.empty())
    return conflict(route, fmt::format("pod {} is already assigned to node \"{}\"", route.name, there));
  if (const auto* gates = find_at(pod->value, "/spec/schedulingGates"); gates && !gates->as_array().empty())
    return conflict(route, fmt::format("pod {} has non-empty .spec.schedulingGates", route.name));
  auto bound = pod->value;
  bound.as_object()["spec"].as_object()["nodeName"] = node;
  auto& state = bound.as_object()["status"].as_object();
  state.erase("nominatedNodeName");
  const json::value scheduled{
      {"conditions",
       json::array{
           {{"type", "PodScheduled"}, {"status", "True"}, {"reason", nullptr}, {"message", nullptr}}}}};
  strategic_merge_patch(bound.as_object()["status"], scheduled);
  store_.update(route.key(), std::move(bound), by);
  return {201, R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201})"};
}

// Creates a missing lease, unless the request has the UID of one that was read.
Response ApiServer::replace(const Route& route, json::value body, const std::string& by) {
  const auto object = store_.find(route.key());
  if (!object && route.plural != "leases") return not_found(route);
  if (!object && !uid_of(body).empty()) return conflict(route, "Precondition failed: UID in precondition");
  if (!object) return {201, store_.create(route.key(), std::move(body), by)->text()};
  const json::value asked{{"uid", uid_of(body)},
                          {"resourceVersion", text_at(body, "/metadata/resourceVersion")}};
  if (const auto broken = broken_precondition(asked, object->value); !broken.empty())
    return conflict(route, broken);
  return put(route, *object, std::move(body), client::Request(), by);
}

// The object that an update stores, if it is allowed.
Response ApiServer::put(const Route& route, const Stored& before, json::value after,
                        const client::Request& request, const std::string& by) {
  auto result = written(route, before.value, std::move(after));
  if (route.plural == kClaims) {
    if (const auto why = refused_claim(before.value, result); !why.empty())
      return status(422, "Invalid", why, route, route.name);
  }
  return object_reply(200, *update_finally(store_, route.key(), std::move(result), by), request);
}

Response ApiServer::patch(const Route& route, const client::Request& request, const std::string& by) {
  const auto object = store_.find(route.key());
  if (!object) return not_found(route);
  json::monotonic_resource storage;  // what is kept of the body is copied
  const auto body = parsed(request.body, &storage);
  const bool of_status = route.subresource == "status";
  if (!body || (!route.subresource.empty() && !of_status)) return not_understood(request, "unknown patch");
  auto patched = object->value;
  if (request.content_type == "application/json-patch+json") {
    const auto done = json_patch(patched, *body);
    if (!done && done.error().kind == Error::Kind::internal)
      return not_understood(request, done.error().message);
    if (!done) return status(422, "Invalid", done.error().message, route, route.name);
  } else {
    // A UID is not a precondition of a patch: another UID is an edit of an immutable field. The patch of a
    // custom resource's status ignores it.
    const bool of_custom_status = of_status && route.plural == "schedulingreports";
    const auto uid = uid_of(*body);
    if (!of_custom_status && !uid.empty() && uid != uid_of(object->value))
      return status(422, "Invalid", "metadata.uid: field is immutable", route, route.name);
    const json::value asked{{"resourceVersion", text_at(*body, "/metadata/resourceVersion")}};
    if (const auto broken = broken_precondition(asked, object->value); !broken.empty())
      return conflict(route, broken);
    if (request.content_type == "application/merge-patch+json") {
      merge_patch(patched, *body);
    } else if (request.content_type == "application/strategic-merge-patch+json") {
      strategic_merge_patch(patched, *body);
    } else {
      return not_understood(request, "unknown type of a patch");
    }
  }
  return put(route, *object, std::move(patched), request, by);
}

Response ApiServer::remove(const Route& route, const client::Request& request, const std::string& by) {
  const auto object = store_.find(route.key());
  if (!object) return not_found(route);
  const auto body = parsed(request.body);
  const auto* asked = body ? find_at(*body, "/preconditions") : nullptr;
  const auto broken = asked ? broken_precondition(*asked, object->value) : "";
  if (!broken.empty()) return conflict(route, broken);
  if (auto refused = refusal("delete", route)) return std::move(*refused);
  // A pod on a node has a grace period: the kubelet ends it.
  if (route.plural == "pods" && !text_at(object->value, "/spec/nodeName").empty()) {
    auto leaving = object->value;
    if (!is_leaving(leaving))
      leaving.as_object()["metadata"].as_object()["deletionTimestamp"] =
          format_time(agenda_.clock().wall() + std::chrono::seconds(30));
    return {200, store_.update(route.key(), std::move(leaving), by)->text()};
  }
  if (const auto waits = remove_finally(store_, route.key(), agenda_.clock().wall(), by))
    return {200, waits->text()};
  return {200, R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success"})"};
}

Response ApiServer::remove_all(const Route& route, const std::string& by) {
  const auto selector = RouteSelector::of(route);
  client::Request of_route;
  if (!selector || route.ns.empty() || route.plural != "schedulingreports")
    return not_understood(of_route, "unknown deletion of a collection");
  const auto limit = route.parameter("limit");
  const std::size_t most = limit.empty() ? SIZE_MAX : std::stoul(limit);
  std::string items;
  std::size_t count = 0;
  for (const auto& object : store_.all(route.plural, route.ns)) {
    if (!selector->matches(object->value)) continue;
    const auto name = text_at(object->value, "/metadata/name");
    Route one = route;
    one.name = name;
    if (refusal("delete", one)) continue;
    if (count++ == most) break;
    items += (items.empty() ? "" : ",") + brief_text(*object);
    store_.remove(one.key(), by);
  }
  const auto* token = count > most ? R"("continue":"more")" : "";
  return {200,
          fmt::format(R"({{"kind":"List","apiVersion":"v1","metadata":{{{}}},"items":[{}]}})", token, items)};
}

ApiServer::Opened ApiServer::open(const client::Request& request) {
  Opened opened;
  const auto route = parse_route(request.target);
  const auto selector = route ? RouteSelector::of(*route) : std::nullopt;
  const auto version = route ? route->parameter("resourceVersion") : "";
  const bool lists = route && route->parameter("sendInitialEvents") == "true";
  if (!selector || !route->name.empty() || route->parameter("watch") != "true" || lists == !version.empty()) {
    opened.refusal = not_understood(request, "unknown watch");
  } else if (!lists && std::stoull(version) > store_.version()) {
    opened.refusal = too_large_version(version);
  } else {
    opened.watch = watches_.open(*route, *selector);
    opened.route = *route;
  }
  return opened;
}

}  // namespace podium::simulate
