#include "app/kubectl/file_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>
#include <string_view>

#include "api/text/json_view.h"
#include "base/result.h"

namespace podium::kubectl {
namespace {

using Object = api::SortedObjects::Object;
using Translate = std::function<std::string(const std::string& path)>;

// The fields that a path of an object begins with.
constexpr std::string_view kFirst[] = {"spec", "metadata", "kind", "apiVersion"};

bool is_of_a_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

// The end of the path that begins at `from`: "spec.containers[0].env", "metadata.labels[a.io/b]".
std::size_t end_of_path(std::string_view text, std::size_t from) {
  auto at = from;
  while (at < text.size()) {
    if (is_of_a_name(text[at]) || (text[at] == '.' && at + 1 < text.size() && is_of_a_name(text[at + 1]))) {
      ++at;
    } else if (text[at] == '[' && text.find(']', at) != text.npos) {
      at = text.find(']', at) + 1;
    } else {
      break;
    }
  }
  return at;
}

bool begins_path(std::string_view text, std::size_t at) {
  if (at > 0 &&
      (is_of_a_name(text[at - 1]) || text[at - 1] == '.' || text[at - 1] == '/' || text[at - 1] == '"'))
    return false;
  const auto rest = text.substr(at);
  return std::ranges::any_of(kFirst, [&](std::string_view field) {
    return rest.size() > field.size() && rest.starts_with(field) &&
           std::string_view(".[:").contains(rest[field.size()]);
  });
}

// Replaces the paths before a colon, as the API server writes all findings.
std::string replaced(std::string_view text, const Translate& translate) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = begins_path(text, at) ? end_of_path(text, at) : at;
    const bool is_path = end > at && end < text.size() && text[end] == ':';
    const std::string words(text.substr(at, std::max<std::size_t>(end - at, 1)));
    out += is_path ? translate(words) : words;
    at = std::max(end, at + 1);
  }
  return out;
}

std::string in_file(const Object& object, const std::string& path) {
  return fmt::format("{}: {}", object.place(path), path);
}

// `below`: the path in the template or in the change's object, with its dot: ".spec.containers[0]".
std::string in_object(const Object& object, std::string_view below) {
  if (below.empty()) {
    const auto kind = api::text_at(object.value, "/kind"),
               name = api::text_at(object.value, "/metadata/name");
    return fmt::format("{}: {} {}", object.place(""), kind, name);
  }
  std::string path(below.starts_with('.') ? below.substr(1) : below);
  // A CronJob is asked about as one of its Jobs.
  if (api::text_at(object.value, "/kind") == "CronJob" && path.starts_with("spec."))
    path.insert(0, "spec.jobTemplate.");
  return in_file(object, path);
}

// Takes "[7]" from the front.
std::optional<std::size_t> take_index(std::string_view& text) {
  std::size_t index = 0;
  const auto end = text.find(']');
  if (!text.starts_with('[') || end == text.npos) return std::nullopt;
  const auto [stop, error] = std::from_chars(text.data() + 1, text.data() + end, index);
  if (error != std::errc() || stop != text.data() + end) return std::nullopt;
  text.remove_prefix(end + 1);
  return index;
}

std::optional<std::string> of_change(const QuestionSource& source, std::string_view below) {
  const auto change = take_index(below);
  if (!change || *change >= source.changes.size() || source.changes[*change].empty()) return std::nullopt;
  const auto& objects = source.changes[*change];
  for (const std::string_view list : {".claims", ".objects"}) {
    if (!below.starts_with(list)) continue;
    below.remove_prefix(list.size());
    const auto item = take_index(below);
    return item && *item < objects.size() ? std::optional(in_object(*objects[*item], below)) : std::nullopt;
  }
  constexpr std::string_view kTemplate = ".template";
  if (!below.starts_with(kTemplate)) return std::nullopt;
  return in_object(*objects.front(), below.substr(kTemplate.size()));
}

}  // namespace

std::string with_place(const Finding& finding, const QuestionSource& source) {
  constexpr std::string_view kTemplate = "spec.template", kChanges = "spec.changes";
  const std::string_view path(finding.path);
  std::optional<std::string> words;
  if (source.subject && path.starts_with(kTemplate))
    words = in_object(*source.subject, path.substr(kTemplate.size()));
  else if (source.subject && path.starts_with(kChanges))
    words = of_change(source, path.substr(kChanges.size()));
  return words ? fmt::format("{}: {}", *words, finding.reason) : finding.text();
}

std::string with_places(const Error& error, const Object& object) {
  std::vector<std::string> lines;
  for (const auto& finding : findings_of(error))
    lines.push_back(finding.path.empty() ? finding.text()
                                         : fmt::format("{}: {}", object.place(finding.path), finding.text()));
  return join_lines(lines);
}

std::string with_places(const std::string& message, const Object& object) {
  auto text = replaced(message, [&](const std::string& path) { return in_file(object, path); });
  // The API server's strict decoding writes the path last.
  constexpr std::string_view kUnknown = "unknown field \"";
  for (std::size_t at = 0; (at = text.find(kUnknown, at)) != text.npos;) {
    const auto from = at + kUnknown.size();
    const auto place = object.place(text.substr(from, end_of_path(text, from) - from)) + ": ";
    text.insert(at, place);
    at = from + place.size();
  }
  return text;
}

}  // namespace podium::kubectl
