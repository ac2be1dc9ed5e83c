#include "controller/report_metadata.h"

#include <algorithm>
#include <charconv>

#include "api/decode.h"
#include "base/time.h"
#include "controller/report_spec.h"

namespace podium::controller {
namespace {

namespace json = boost::json;

constexpr std::string_view kManager = "podium";

const json::value* find(const json::value& value, std::string_view pointer) {
  boost::system::error_code none;
  return value.find_pointer(pointer, none);
}

template <typename Each>
void each_manager(const json::value& object, Each&& each) {
  const auto* managers = find(object, "/metadata/managedFields");
  if (!managers || !managers->is_array()) return;
  for (const auto& manager : managers->get_array()) each(manager);
}

std::optional<std::chrono::seconds> read_seconds(const std::string& text) {
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  constexpr std::int64_t kMost = 1'000'000'000;
  if (error != std::errc() || end != text.data() + text.size() || seconds < 0 || seconds > kMost)
    return std::nullopt;
  return std::chrono::seconds(seconds);
}

// spec.dryRun; nullopt if the object has no spec (metadata only).
std::optional<bool> dry_run(const json::value& object) {
  const auto* spec = find(object, "/spec");
  if (!spec) return std::nullopt;
  const auto* dry = find(object, "/spec/dryRun");
  return dry && dry->is_bool() && dry->get_bool();
}

}  // namespace

std::string text_at(const json::value& value, std::string_view pointer) {
  const auto* found = find(value, pointer);
  return found && found->is_string() ? std::string(found->get_string()) : std::string();
}

std::optional<ReportMetadata> read_metadata(const json::value& object) {
  auto meta = api::decode_meta(object);
  if (!meta || meta->uid.empty()) return std::nullopt;
  ReportMetadata out;
  out.ns = std::move(meta->namespace_);
  out.name = std::move(meta->name);
  out.uid = std::move(meta->uid);
  out.written = meta->created.value_or(Wall{});
  each_manager(object, [&out](const json::value& manager) {
    if (const auto time = parse_time(text_at(manager, "/time"))) out.written = std::max(out.written, *time);
  });
  const bool is_labelled = text_at(object, "/metadata/labels/podium.dev~1report") == kDecision;
  // Users can set the label too, so the spec takes precedence where it is present.
  const bool is_question = dry_run(object).value_or(!is_labelled);
  out.kind = is_question ? ReportKind::question : ReportKind::decision;
  if (!is_question) out.ttl = read_seconds(text_at(object, "/metadata/annotations/podium.dev~1ttl"));
  return out;
}

std::chrono::seconds full_ttl(const json::value& report, const ReportMetadata& metadata,
                              std::chrono::seconds default_ttl) {
  const auto expires = parse_time(text_at(report, "/status/expiresAt"));
  auto decided = parse_time(text_at(report, "/status/decidedAt"));
  if (!decided) decided = parse_time(text_at(report, "/metadata/creationTimestamp"));
  if (expires && decided && *expires >= *decided)
    return std::chrono::duration_cast<std::chrono::seconds>(*expires - *decided);
  if (metadata.ttl) return *metadata.ttl;
  return report_ttl(find(report, "/spec"), default_ttl);
}

bool is_podiums_decision(const json::value& report) {
  if (dry_run(report).value_or(true)) return false;
  if (text_at(report, "/metadata/labels/podium.dev~1report") == kDecision) return true;
  bool wrote = false;
  each_manager(report, [&wrote](const json::value& manager) {
    if (text_at(manager, "/manager") == kManager) wrote = true;
  });
  return wrote;
}

}  // namespace podium::controller
