#include "client/decode/list_page.h"

#include <utility>

#include "api/text/json_view.h"
#include "api/text/parse_json.h"
#include "client/decode/json_skim.h"
#include "client/decode/watch_lines.h"

namespace podium::client {
namespace json = boost::json;

Result<ListPage> split_list(std::string_view body) {
  ListPage page;
  bool has_metadata = false, items_whole = true;
  const bool whole = skim_members(body, [&](std::string_view key, std::string_view value) {
    if (key == "metadata") {
      const auto metadata = api::parse_json(value);
      has_metadata = metadata && metadata->is_object();
      if (!has_metadata) return;
      page.resource_version = api::text_at(*metadata, "/resourceVersion");
      page.token = api::text_at(*metadata, "/continue");
    } else if (key == "items" && value != "null") {
      items_whole = skim_items(value, [&](std::string_view item) { page.items.push_back(item); });
    }
  });
  if (!whole || !items_whole) return invalid("not a JSON list");
  if (!has_metadata) return invalid("list has no metadata");
  if (!page.resource_version.empty() && version_number(page.resource_version) == 0)
    return invalid("list has an invalid resourceVersion");
  return page;
}

bool PageProgress::add(std::string_view token, bool has_news) {
  constexpr int kMostWithoutNews = 3;
  without_news_ = has_news ? 0 : without_news_ + 1;
  if (token.empty()) return true;
  return std::exchange(token_, token) != token && without_news_ < kMostWithoutNews;
}

Error PageProgress::error() {
  return {Error::Kind::invalid, "the list does not end: each page has a continue token and no new objects"};
}

json::value read_outline(std::string_view object, const json::storage_ptr& storage) {
  json::object outline(storage);
  json::object metadata(storage);
  skim_members(object, [&](std::string_view key, std::string_view value) {
    if (key == "apiVersion" || key == "kind") {
      if (auto text = api::parse_json(value, storage); text && text->is_string())
        outline[key] = std::move(*text);
    } else if (key == "metadata") {
      skim_members(value, [&](std::string_view field, std::string_view part) {
        if (field == "managedFields") return;
        if (auto parsed = api::parse_json(part, storage)) metadata[field] = std::move(*parsed);
      });
    }
  });
  outline["metadata"] = std::move(metadata);
  return outline;
}

std::string name_of(const json::value& object) {
  auto name = api::text_at(object, "/metadata/namespace");
  if (!name.empty()) name += '/';
  return name.append(api::text_at(object, "/metadata/name"));
}

}  // namespace podium::client
