#include "app/run/zpages.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <optional>
#include <string_view>

#include "api/text/yaml.h"
#include "base/ascii.h"
#include "base/time.h"
#include "base/version.h"

namespace podium::app::run {
namespace {

namespace json = boost::json;
using server::Reply;

constexpr std::string_view kComponent = "podium";
constexpr std::string_view kHeader =
    "\n{} {}\nWarning: This endpoint is not meant to be machine parseable, has no formatting compatibility "
    "guarantees and is for debugging purposes only.\n";

enum class Form : std::uint8_t { text, json, yaml };
struct Asked {
  Form form = Form::text;
  std::string version;  // of the object
};

// The format that one clause of an Accept header requests; nullopt: not served.
std::optional<Asked> asked_by(std::string_view clause, std::string_view kind) {
  const auto parts = split(clause, ";");
  std::map<std::string_view, std::string_view> of;
  for (auto part : parts) {
    part = trimmed(part);
    const auto equals = part.find('=');
    if (equals != std::string_view::npos) of.emplace(part.substr(0, equals), part.substr(equals + 1));
  }
  const auto type = trimmed(parts.front());
  const bool is_plain = !of.contains("as") && !of.contains("g") && !of.contains("v");
  if (is_plain && (type == "*/*" || type == "text/*" || type == "text/plain")) return Asked{};
  const bool is_known =
      of["as"] == kind && of["g"] == "config.k8s.io" && (of["v"] == "v1beta1" || of["v"] == "v1alpha1");
  if (!is_known) return std::nullopt;
  if (type == "application/json" || type == "application/*" || type == "*/*")
    return Asked{Form::json, std::string(of["v"])};
  if (type == "application/yaml") return Asked{Form::yaml, std::string(of["v"])};
  return std::nullopt;
}

std::optional<Asked> asked_for(const std::string& accept, std::string_view kind) {
  if (trimmed(accept).empty()) return Asked{};
  for (const auto clause : split(accept, ",")) {
    if (auto asked = asked_by(clause, kind)) return asked;
  }
  return std::nullopt;
}

Reply not_acceptable(std::string_view kind) {
  return Reply(406, fmt::format("only text/plain is served, and application/json and application/yaml with "
                                "as={};v=v1beta1;g=config.k8s.io\n",
                                kind));
}

Reply structured(const Asked& asked, std::string_view kind, json::object fields) {
  json::object object{
      {"kind", kind}, {"apiVersion", "config.k8s.io/" + asked.version}, {"metadata", {{"name", kComponent}}}};
  for (auto& [name, value] : fields) object[name] = std::move(value);
  if (asked.form == Form::yaml) return Reply(200, api::to_yaml(object), "application/yaml");
  return Reply(200, json::serialize(object) + "\n", "application/json");
}

// "/metrics/slis" belongs to "/metrics".
std::vector<std::string> first_segments(const std::vector<std::string>& paths) {
  std::vector<std::string> out;
  for (const auto& path : paths) out.push_back(path.substr(0, path.find('/', 1)));
  std::ranges::sort(out);
  const auto rest = std::ranges::unique(out);
  out.erase(rest.begin(), rest.end());
  return out;
}

std::string emulated_version() {
  const auto full = kKubernetesVersion.substr(1);
  return std::string(full.substr(0, full.rfind('.')));
}

}  // namespace

Reply statusz(const StatusPage& status, const std::string& accept) {
  const auto asked = asked_for(accept, "Statusz");
  if (!asked) return not_acceptable("Statusz");
  const auto up = std::max<std::int64_t>(
      0, std::chrono::duration_cast<std::chrono::seconds>(status.now - status.started).count());
  const auto paths = first_segments(status.paths);
  if (asked->form != Form::text) {
    return structured(*asked, "Statusz",
                      {{"startTime", format_time(status.started)},
                       {"uptimeSeconds", up},
                       {"goVersion", ""},
                       {"binaryVersion", kVersion},
                       {"emulationVersion", emulated_version()},
                       {"paths", json::array(paths.begin(), paths.end())}});
  }
  const auto started = std::chrono::system_clock::to_time_t(
      std::chrono::time_point_cast<std::chrono::system_clock::duration>(status.started));
  return Reply(200,
               fmt::format(kHeader, kComponent, "statusz") +
                   fmt::format("\nStarted: {:%a %b %e %H:%M:%S UTC %Y}\nUp: {} hr {:02} min {:02} sec\n"
                               "Go version: none\nBinary version: {}\nEmulation version: {}\nPaths: {}\n",
                               fmt::gmtime(started), up / 3600, up / 60 % 60, up % 60, kVersion,
                               emulated_version(), fmt::join(paths, " ")));
}

Reply flagz(const std::map<std::string, std::string>& flags, const std::string& accept) {
  const auto asked = asked_for(accept, "Flagz");
  if (!asked) return not_acceptable("Flagz");
  if (asked->form != Form::text) {
    json::object values;
    for (const auto& [name, value] : flags) values[name] = value;
    return structured(*asked, "Flagz", {{"flags", std::move(values)}});
  }
  auto text = fmt::format(kHeader, kComponent, "flagz");
  for (const auto& [name, value] : flags) text += fmt::format("{}={}\n", name, value);
  return Reply(200, std::move(text));
}

}  // namespace podium::app::run
