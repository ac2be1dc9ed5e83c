#include "controller/retention/state.h"

#include <algorithm>

namespace podium::controller {
namespace {

constexpr std::chrono::seconds kLookAfter{60};
constexpr std::chrono::minutes kByMinute{10};     // shorter TTLs are kept to the second
constexpr std::chrono::seconds kAfterMinute{60};  // for clocks that differ a little

}  // namespace

Steady RetentionState::due_of(Wall written, std::uint32_t minute, std::optional<Steady::duration> ttl,
                              Steady at) const {
  const auto exact = ttl ? at + std::max(Steady::duration::zero(), *ttl - server.since(written, at)) : at;
  if (minute == 0 || (ttl && *ttl < kByMinute)) return exact;
  const auto left = server.until(Wall(std::chrono::minutes(minute)) + kAfterMinute, at);
  if (!left) return ttl ? exact : at + default_ttl;
  const auto labelled = at + std::max(Steady::duration::zero(), *left);
  // A label that differs by a lot was written by a wrong clock.
  const bool agree = labelled >= exact && labelled - exact <= 3 * kAfterMinute;
  return !ttl || agree || labelled == at ? std::max(labelled, exact) : exact;
}

bool RetentionState::is_over(std::uint32_t minute, Steady at) const {
  const auto left = server.until(Wall(std::chrono::minutes(minute)), at);
  return left && *left <= Steady::duration::zero();
}

RetentionIndex::Report RetentionState::listed(const ReportMetadata& report, Steady at) const {
  const bool is_question = report.kind == ReportKind::question;
  RetentionIndex::Report made{.ns = report.ns, .name = report.name, .uid = report.uid, .kind = report.kind};
  made.look = is_question || (!report.ttl && report.minute == 0);
  made.minute = is_question ? 0 : report.minute;
  made.due = due_of(report.written, made.minute,
                    made.look ? std::optional<Steady::duration>(kLookAfter) : report.ttl, at);
  made.failure = report.failure;
  made.bytes = report.bytes > 0 ? report.bytes : kTypicalBytes;
  made.written = at - server.since(report.written, at);
  made.version = report.version;
  made.listed = true;
  return made;
}

}  // namespace podium::controller
