// Reason codes: a stable name for each kind of rejection, for programs.
//
// The reasons of the in-tree plugins are kube-scheduler's words, which its versions change. A code stays. One
// table by plugin and reason has them, since verdicts are made for every node and codes only for reports.
// docs/reports.md lists them; a test compares.
//
// Threads: pure functions. Errors: none.
#pragma once

#include <span>
#include <string_view>

namespace podium::plugins {

struct ReasonCode {
  std::string_view plugin;   // empty: excluded by the node names of PreFilter plugins
  std::string_view words;    // part of the reason; the first entry of the plugin that matches has the code
  std::string_view code;     // "InsufficientResource"
  std::string_view meaning;  // for docs/reports.md
};

// The code of a plugin that is not podium's, of an extender, or of a reason that is not in the table.
inline constexpr std::string_view kOtherCode = "Other";
// The one whose rejections have counts of devices.
inline constexpr std::string_view kInsufficientDevices = "InsufficientDevices";

std::span<const ReasonCode> reason_codes();
std::string_view reason_code(std::string_view plugin, std::string_view reason);

}  // namespace podium::plugins
