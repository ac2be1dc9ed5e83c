#include "controller/report/metadata.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/decode/decode.h"
#include "api/text/json_view.h"
#include "api/values/decimal.h"
#include "api/values/meta.h"
#include "base/time.h"
#include "client/field_manager.h"
#include "explain/report/report.h"
#include "explain/report/report_labels.h"
#include "explain/report/ttl.h"

namespace podium::controller {
namespace {

namespace json = boost::json;

constexpr std::size_t kBesidesStatus = 1'600;
constexpr std::int64_t kMostBytes = 2 << 20;  // etcd rejects larger objects

template <typename Each>
void each_manager(const json::value& object, Each&& each) {
  const auto* managers = api::find_at(object, "/metadata/managedFields");
  if (!managers || !managers->is_array()) return;
  for (const auto& manager : managers->get_array()) each(manager);
}

std::optional<std::int64_t> read_number(std::string_view text) {
  constexpr std::int64_t kMost = 1'000'000'000;
  const auto number = api::whole_number(text);
  return number && *number >= 0 && *number <= kMost ? number : std::nullopt;
}

std::optional<std::chrono::seconds> read_seconds(const std::string& text) {
  const auto number = read_number(text);
  return number ? std::optional(std::chrono::seconds(*number)) : std::nullopt;
}

// spec.dryRun; nullopt if the object has no spec (metadata only).
std::optional<bool> dry_run(const json::value& object) {
  if (!api::find_at(object, "/spec")) return std::nullopt;
  return api::is_true_at(object, "/spec/dryRun");
}

}  // namespace

std::optional<ReportMetadata> read_metadata(const json::value& object) {
  auto meta = api::decode_meta(object);
  if (!meta || meta->uid.empty()) return std::nullopt;
  ReportMetadata out;
  out.ns = std::move(meta->namespace_);
  out.name = std::move(meta->name);
  out.uid = std::move(meta->uid);
  out.version = std::move(meta->resource_version);
  out.created = meta->created.value_or(Wall{});
  out.written = out.created;
  each_manager(object, [&out](const json::value& manager) {
    if (const auto time = parse_time(api::text_at(manager, "/time")))
      out.written = std::max(out.written, *time);
  });
  const bool is_labelled = explain::label_at(object, explain::kReportLabel) == explain::kDecision;
  // Users can also set the label, so the spec takes precedence if it is present.
  const bool is_question = dry_run(object).value_or(!is_labelled);
  out.kind = is_question ? ReportKind::question : ReportKind::decision;
  out.minute = minute_of(explain::label_at(object, explain::kExpiresLabel));
  if (is_question) return out;
  out.ttl = read_seconds(explain::annotation_at(object, explain::kTtlAnnotation));
  const auto bytes = read_number(explain::annotation_at(object, explain::kBytesAnnotation));
  out.bytes = static_cast<std::uint32_t>(std::min<std::int64_t>(bytes.value_or(0), kMostBytes));
  const auto outcome = explain::label_at(object, explain::kOutcomeLabel);
  out.failure = !outcome.empty() && outcome != explain::kScheduled;
  return out;
}

std::uint32_t stored_bytes(std::size_t status) {
  return static_cast<std::uint32_t>(std::min(status + kBesidesStatus, std::size_t{kMostBytes}));
}

std::uint32_t minute_of(std::string_view label) {
  const auto time = parse_expiry_minute(label);
  return time ? minute_of(*time) : 0;
}

std::uint32_t minute_of(Wall expires) {
  const auto minutes = std::chrono::ceil<std::chrono::minutes>(expires.time_since_epoch()).count();
  return minutes > 0 ? static_cast<std::uint32_t>(minutes) : 0;
}

std::chrono::seconds seconds_between(Wall from, Wall to) {
  return std::chrono::floor<std::chrono::seconds>(to) - std::chrono::floor<std::chrono::seconds>(from);
}

std::chrono::seconds full_ttl(const json::value& report, const ReportMetadata& metadata,
                              std::chrono::seconds default_ttl) {
  const auto expires = parse_time(api::text_at(report, "/status/expiresAt"));
  auto decided = parse_time(api::text_at(report, "/status/decidedAt"));
  if (!decided) decided = parse_time(api::text_at(report, "/metadata/creationTimestamp"));
  if (expires && decided && *expires >= *decided)
    return std::min(seconds_between(*decided, *expires), explain::kKept);
  if (metadata.ttl) return *metadata.ttl;
  if (api::integer_at(report, "/spec/ttlSeconds") == 0) return explain::kKept;
  return explain::report_ttl(api::find_at(report, "/spec"), default_ttl);
}

std::string expiry_minute(Wall expires) {
  const auto text = format_time(std::chrono::ceil<std::chrono::minutes>(expires));  // 2026-11-22T13:20:00Z
  return text.substr(0, 4) + text.substr(5, 2) + text.substr(8, 2) + text.substr(11, 2) + text.substr(14, 2);
}

std::optional<Wall> parse_expiry_minute(std::string_view label) {
  if (label.size() != 12) return std::nullopt;
  return parse_time(fmt::format("{}-{}-{}T{}:{}:00Z", label.substr(0, 4), label.substr(4, 2),
                                label.substr(6, 2), label.substr(8, 2), label.substr(10, 2)));
}

bool lags(Wall labelled, Wall expires, std::chrono::seconds ttl) {
  constexpr int kLag = 10;  // a part of the TTL
  return seconds_between(labelled, expires) >=
         std::max<std::chrono::seconds>(ttl / kLag, std::chrono::minutes(1));
}

bool is_podiums_decision(const json::value& report) {
  if (dry_run(report).value_or(true)) return false;
  if (explain::label_at(report, explain::kReportLabel) == explain::kDecision) return true;
  bool wrote = false;
  each_manager(report, [&wrote](const json::value& manager) {
    if (api::text_at(manager, "/manager") == client::kFieldManager) wrote = true;
  });
  return wrote;
}

}  // namespace podium::controller
