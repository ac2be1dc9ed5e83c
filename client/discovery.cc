#include "client/discovery.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include "api/text/json_view.h"

namespace podium::client {
namespace json = boost::json;
namespace {

constexpr std::chrono::seconds kTimeout{10};

std::string_view text_in(const json::value& object, std::string_view key) {
  return api::text_of(api::member(&object, key));
}

const json::array* list_of(const json::value& object, std::string_view key) {
  const auto* found = api::member(&object, key);
  return found ? found->if_array() : nullptr;
}

// The list `key` of a body of this kind; null: the body is something else.
const json::array* list_in(const json::value& body, std::string_view kind, std::string_view key) {
  return text_in(body, "kind") == kind ? list_of(body, key) : nullptr;
}

bool has(const json::array& list, std::string_view key, std::string_view value) {
  return std::ranges::any_of(list, [&](const json::value& item) { return text_in(item, key) == value; });
}

Served served(bool is_served) { return is_served ? Served::yes : Served::no; }

json::value parsed(std::string_view body) {
  boost::system::error_code error;
  auto value = json::parse(body, error);
  return error ? json::value() : value;
}

Served served_version(std::string_view groups, const Resource& resource) {
  const auto body = parsed(groups);
  const auto* list = list_in(body, "APIGroupList", "groups");
  if (!list) return Served::unknown;
  return served(std::ranges::any_of(*list, [&](const json::value& group) {
    const auto* versions = list_of(group, "versions");
    return text_in(group, "name") == resource.group && versions &&
           has(*versions, "version", resource.version);
  }));
}

Served served_resource(std::string_view resources, const Resource& resource) {
  const auto body = parsed(resources);
  const auto* list = list_in(body, "APIResourceList", "resources");
  if (!list) return Served::unknown;
  return served(has(*list, "name", resource.plural));
}

// The body; empty: it cannot be read.
Task<std::string> read(Transport& transport, std::string target) {
  Request request;
  request.target = std::move(target);
  request.timeout = kTimeout;
  auto response = co_await transport.send(std::move(request));
  if (!response || response->status != 200) co_return std::string();
  co_return std::move(response->body);
}

}  // namespace

Task<Served> ask_discovery(Transport& transport, Resource resource) {
  std::string path = "/apis";
  const auto groups = co_await read(transport, path);
  const auto has_version = served_version(groups, resource);
  if (has_version != Served::yes) co_return has_version;
  path += "/" + resource.group + "/" + resource.version;
  const auto resources = co_await read(transport, path);
  co_return served_resource(resources, resource);
}

}  // namespace podium::client
