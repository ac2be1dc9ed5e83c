#include "controller/what_if/screening.h"

#include <fmt/format.h>

#include <algorithm>

#include "explain/question/question_limits.h"
#include "explain/report/refusal.h"
#include "explain/report/ttl.h"

namespace podium::controller {
namespace {

explain::ReportStatus too_many_refreshed(const Refreshes::Limits& limits) {
  return explain::declined(
      explain::kTooManyRefreshed,
      fmt::format("spec.refreshSeconds: too many what-ifs are refreshed (at most {} in a namespace, {} in "
                  "all); change the spec later to try again",
                  limits.per_namespace, limits.all));
}

bool was_accepted(const ReadWhatIf& read) {
  const auto* accepted = read.asked.before.condition("Accepted");
  return read.again && accepted && accepted->is_true;
}

bool was_refused(const ReadWhatIf& read) {
  const auto* accepted = read.asked.before.condition("Accepted");
  return read.again && accepted && !accepted->is_true;
}

}  // namespace

std::uint32_t size_of_report(std::size_t bytes) {
  return static_cast<std::uint32_t>(std::min(bytes, explain::kObjectBytes));
}

bool Screening::keeps_too_long(const ReadWhatIf& read) const {
  // One that was accepted before has its place.
  return read.question && !was_accepted(read) && read.question->ttl >= explain::kKept &&
         !retention_.may_keep(read.asked.ns, read.asked.name, size_of_report(read.bytes));
}

Screened Screening::admit(const std::string& key, Steady asked_at, ReadWhatIf& read) const {
  const AnswerTerms of_refusal{.ttl = ttl_, .refresh = std::chrono::seconds(0), .asked_at = asked_at};
  Screened out{.terms = of_refusal};
  if (keeps_too_long(read)) {
    read.question = invalid("spec.ttlSeconds: too many what-ifs are kept without expiry; set a TTL");
  } else if (read.refresh.count() > 0) {
    out.terms.ttl = read.ttl;
    out.terms.refresh = read.refresh;
  }
  if (!out.terms.refreshed()) {
    refreshes_.drop(key);
    out.is_refused_already = was_refused(read);
  } else if (!refreshes_.place(read.asked.ns, read.asked.name, key, out.terms.refresh)) {
    out.refusal = make_patch(read.asked, too_many_refreshed(refreshes_.limits()), clock_.wall(), of_refusal);
  }
  if (!out.refusal && !read.question)
    out.refusal = make_patch(read.asked, explain::refusal(read.question.error()), clock_.wall(), out.terms);
  return out;
}

}  // namespace podium::controller
