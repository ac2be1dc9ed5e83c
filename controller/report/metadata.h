// Reads from a SchedulingReport's metadata whether it reports a decision and how long it is kept.
//
// podium puts labels and annotations on the reports it creates, so that a metadata-only list is enough to
// know when each expires, how large it is and whether its pod was placed. The API server writes the time of
// the last write (in metadata.managedFields), but takes other times there from the authors of a report.
//
// Threads: pure functions. Errors: nullopt or a default if a field is missing or malformed.
#pragma once

#include <boost/json/value.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/instant.h"
#include "explain/report/report_labels.h"

namespace podium::controller {

enum class ReportKind : std::uint8_t { decision, question };

struct ReportMetadata {
  std::string ns, name, uid, version;  // version: its resourceVersion
  Wall created{};                      // by the API server's clock
  Wall written{};                      // last write; the authors of a report may forge it
  ReportKind kind = ReportKind::question;
  std::optional<std::chrono::seconds> ttl;  // from the last write on; nullopt: not in the metadata
  std::uint32_t minute = 0;                 // of the expiry on its label, since 1970; 0: no such label
  std::uint32_t bytes = 0;                  // 0: not in the metadata
  bool failure = false;                     // by its label: the pod was not placed
};

// `object` is a whole report or a PartialObjectMetadata. nullopt: it has no readable metadata.
std::optional<ReportMetadata> read_metadata(const boost::json::value& object);

// The bytes of a report in etcd, if its status has this length as JSON: with its spec, its metadata, and most
// of all its managedFields.
std::uint32_t stored_bytes(std::size_t status);

// Minutes since 1970 of a label by expiry_minute(); 0: no such label.
std::uint32_t minute_of(std::string_view label);
// Those of the label that expiry_minute() makes.
std::uint32_t minute_of(Wall expires);

// For times from other writers: in nanoseconds, a difference of centuries would overflow.
std::chrono::seconds seconds_between(Wall from, Wall to);

// The TTL of a whole report, or kKept if it does not expire: from its status, else its metadata, else its
// spec, else the default.
std::chrono::seconds full_ttl(const boost::json::value& report, const ReportMetadata& metadata,
                              std::chrono::seconds default_ttl);

// True if podium wrote this report for a decision, on any pod.
bool is_podiums_decision(const boost::json::value& report);

// The minute of expiry as a label's value, "YYYYMMDDHHMM" in UTC; seconds round up.
std::string expiry_minute(Wall expires);
std::optional<Wall> parse_expiry_minute(std::string_view label);
// True if the label is to be written again: the report expires a tenth of its TTL later than the label says.
// So labels cost few requests, and no report is deleted much before its time.
bool lags(Wall labelled, Wall expires, std::chrono::seconds ttl);

}  // namespace podium::controller
