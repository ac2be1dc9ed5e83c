#include "app/kubectl/file_places.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <charconv>
#include <optional>
#include <string_view>

#include "api/text/json_view.h"
#include "app/render/report.h"
#include "base/ascii.h"
#include "base/result.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;
using Object = api::SortedObjects::Object;

bool is_of_a_name(char c) { return is_letter_or_digit(c) || c == '-' || c == '_'; }

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

// The API server's strict decoding has no causes: "unknown field "spec.a"".
std::string with_unknown_fields(std::string text, const Object& object) {
  constexpr std::string_view kUnknown = "unknown field \"";
  for (std::size_t at = 0; (at = text.find(kUnknown, at)) != text.npos;) {
    const auto from = at + kUnknown.size();
    const auto place = object.place(text.substr(from, end_of_path(text, from) - from)) + ": ";
    text.insert(at, place);
    at = from + place.size();
  }
  return text;
}

}  // namespace

std::string with_place(const Finding& finding, const QuestionSource& source) {
  constexpr std::string_view kTemplate = "spec.template", kChanges = "spec.changes";
  const std::string_view path(finding.path);
  std::optional<std::string> words;
  if (source.question)
    words = in_file(*source.question, finding.path);
  else if (source.subject && path.starts_with(kTemplate))
    words = in_object(*source.subject, path.substr(kTemplate.size()));
  else if (source.subject && path.starts_with(kChanges))
    words = of_change(source, path.substr(kChanges.size()));
  return words ? fmt::format("{}: {}", *words, finding.reason) : finding.text();
}

json::value with_places(json::value report, const QuestionSource& source) {
  const auto findings = render::read_report(report).status.findings;
  if (findings.empty() || (!source.question && !source.subject)) return report;
  std::vector<std::string> places;
  for (const auto& finding : findings) places.push_back(with_place(finding, source));
  const auto words = fmt::format("{}", fmt::join(places, "; "));
  auto& status = report.at("status").as_object();
  status["message"] = words;
  auto* conditions = status.if_contains("conditions");
  if (auto* list = conditions ? conditions->if_array() : nullptr) {
    for (auto& condition : *list)
      if (auto* fields = condition.if_object()) (*fields)["message"] = words;
  }
  return report;
}

std::string with_places(const Error& error, const Object& object) {
  std::vector<Finding> findings;
  for (const auto& cause : error.status.causes) {
    if (!cause.field.empty()) findings.push_back({.path = cause.field, .reason = cause.message});
  }
  const bool has_causes = !findings.empty();
  if (!has_causes) findings = findings_of(error);
  std::vector<std::string> lines;
  for (const auto& finding : findings)
    lines.push_back(finding.path.empty() ? with_unknown_fields(finding.text(), object)
                                         : fmt::format("{}: {}", object.place(finding.path), finding.text()));
  const auto text = join_lines(lines);
  if (!has_causes || error.status.name.empty()) return text;
  return fmt::format("{} \"{}\" is invalid:{}{}", error.status.kind, error.status.name,
                     lines.size() == 1 ? " " : "\n", text);
}

}  // namespace podium::kubectl
