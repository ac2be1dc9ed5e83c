#include "controller/retention/deleter.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <functional>
#include <map>
#include <utility>

#include "api/text/json_view.h"
#include "api/text/parse_json.h"
#include "async/writers.h"
#include "client/request_errors.h"
#include "controller/report/report_requests.h"
#include "explain/report/ttl.h"
#include "log/limit.h"
#include "log/log.h"

namespace podium::controller {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using async::Task;

using Report = RetentionIndex::Report;

// Reports to delete or to read: one, or all of a namespace that expire in the same minute.
struct Deletion {
  std::vector<Report> reports;
};

using Deletions = async::Writers<Deletion>;

constexpr unsigned kWorkers = 4;
constexpr std::size_t kDeletesInBatch = 16;
constexpr std::size_t kFewest = 32;  // with fewer, single deletions are cheaper

std::string key_of(const Report& report) { return report.ns + '/' + report.name; }

bool is_away(const Error& error) {
  return error.kind == Error::Kind::timeout || client::concern_of(error) == client::Concern::all;
}

// Refusals concern a single report.
async::Outcome outcome_of(const Error& error) {
  return is_away(error) ? client::classify(error, async::Outcome::retry) : async::Outcome::retry;
}

// It was written since podium last saw it. Or another report has the name: the reply to its creation came
// before the reply to this deletion.
bool is_another(const Result<std::string>& answer) { return !answer && client::is_conflict(answer.error()); }

bool is_refused(const Error& error) {
  return client::is_forbidden(error) || client::is_not_found(error) || error.status.code == 405;
}

async::WritersOptions queue_options(const ReportDeleter::Backoffs& backoffs) {
  async::WritersOptions made;
  made.name = "delete reports";
  made.workers = kWorkers;
  made.most_in_batch = kDeletesInBatch;
  made.queue.capacity = SIZE_MAX;  // the index already bounds them
  made.queue.item = backoffs.item;
  made.queue.of_namespace = made.queue.all = backoffs.all;
  return made;
}

}  // namespace

struct ReportDeleter::Impl {
  Impl(client::Api& api_, SharedRetention& shared_, const Backoffs& backoffs, async::Gate& gate,
       asio::any_io_executor io, Looked looked_)
      : api(api_),
        shared(shared_),
        looked(std::move(looked_)),
        deletions(queue_options(backoffs), api.clock(), api.random(), gate, std::move(io),
                  [this](std::vector<Deletions::Item>& batch) { return remove(this, &batch); }) {}

  static Task<void> remove(Impl* self, std::vector<Deletions::Item>* batch);
  static Task<void> remove_minute(Impl* self, Deletions::Item* item);
  static Task<Result<void>> check_minute(Impl* self, const std::string* ns, std::uint32_t minute);
  static Task<void> look(Impl* self, Deletions::Item* item);
  void queue(std::vector<Report> reports);
  void queue_one(Report report);
  void queue_rest(std::vector<Report>& reports);
  void removed(Deletions::Item& item, const Result<std::string>& answer);
  bool forget_deleted(const Report& report, const Result<std::string>& answer);
  bool forget_listed(const std::string& reply);
  void log_minute(const std::string& ns, const Error& error);

  client::Api& api;
  SharedRetention& shared;
  const Looked looked;
  // Used on io only.
  bool minutes_refused = false;  // deletions by label
  LogLimit log{std::chrono::minutes(10)};
  Deletions deletions;
};

// Reports of one minute and namespace are deleted together if none of that minute stays, and if it has
// passed, so that no new report gets its label.
void ReportDeleter::Impl::queue(std::vector<Report> reports) {
  std::map<std::pair<std::string, std::uint32_t>, std::vector<Report>> minutes;
  for (auto& report : reports) {
    if (report.minute == 0 || report.look || report.early || minutes_refused) {
      queue_one(std::move(report));
    } else {
      minutes[{report.ns, report.minute}].push_back(std::move(report));
    }
  }
  for (auto& [of, members] : minutes) {
    bool together = members.size() >= kFewest;
    if (together) {
      const auto held = shared.state.hold();
      together = held->is_over(of.second, api.clock().now()) && held->index.is_whole(of.first, of.second);
    }
    if (together) {
      // No report has an empty name.
      deletions.push(of.first, fmt::format("{}//{}", of.first, of.second), {std::move(members)});
    } else {
      for (auto& report : members) queue_one(std::move(report));
    }
  }
}

void ReportDeleter::Impl::queue_one(Report report) {
  const auto ns = report.ns, key = key_of(report);
  std::vector<Report> one;
  one.push_back(std::move(report));
  deletions.push(ns, key, {std::move(one)});
}

Task<void> ReportDeleter::Impl::remove(Impl* self, std::vector<Deletions::Item>* batch) {
  std::vector<client::Request> requests;
  std::vector<Deletions::Item*> sent, looks, minutes;
  {
    const auto held = self->shared.state.hold();
    for (auto& item : *batch) {
      const auto& report = item.value.reports.front();
      if (held->stopping) continue;
      if (item.value.reports.size() > 1) {
        minutes.push_back(&item);
        continue;
      }
      // A report that was rewritten in the meantime has a new expiry.
      if (!held->index.is_taken(report.ns, report.name, report.uid)) continue;
      if (report.look) {
        looks.push_back(&item);
      } else {
        requests.push_back(
            delete_report(report.ns, report.name, report.uid, report.early ? std::string() : report.version));
        sent.push_back(&item);
      }
    }
  }
  if (!sent.empty()) {
    const auto answers = co_await self->api.send_all(std::move(requests));
    for (std::size_t i = 0; i < sent.size(); ++i) {
      if (is_another(answers[i])) {
        sent[i]->value.reports.front().look = true;
        looks.push_back(sent[i]);
      } else {
        self->removed(*sent[i], answers[i]);
      }
    }
  }
  for (auto* item : looks) co_await look(self, item);
  for (auto* item : minutes) co_await remove_minute(self, item);
}

void ReportDeleter::Impl::removed(Deletions::Item& item, const Result<std::string>& answer) {
  const auto& report = item.value.reports.front();
  if (forget_deleted(report, answer)) return;
  const auto& error = answer.error();
  item.outcome = outcome_of(error);
  item.at_least = std::chrono::seconds(error.status.retry_after);
  if (item.tries == 0 && item.outcome == async::Outcome::retry && log.allows("delete", api.clock().now())) {
    log::warn("report not deleted, will retry verb={} resource={} report={}/{} error={:?}",
              error.request.verb, error.request.resource, report.ns, report.name, error.text());
  }
}

bool ReportDeleter::Impl::forget_deleted(const Report& report, const Result<std::string>& answer) {
  if (!answer && !client::object_is_gone(answer.error())) return false;
  if (answer) ++shared.deleted;
  if (answer && report.early) ++shared.deleted_early;
  if (answer && report.early && report.kind == ReportKind::decision && !report.orphan)
    ++shared.deleted_before_pod;
  const auto held = shared.state.hold();
  held->index.forget(report.ns, report.name, report.uid);
  return true;
}

// Deletes the reports of a namespace that expire in one minute by their label, and the rest one by one. A
// report that is rewritten has another label, or must stay; while one must stay, nothing is deleted by label.
Task<void> ReportDeleter::Impl::remove_minute(Impl* self, Deletions::Item* item) {
  const auto ns = item->value.reports.front().ns;
  const auto minute = item->value.reports.front().minute;
  bool has_more = true;
  // There are no preconditions. The state of reports that only this engine has written is known.
  if (std::ranges::any_of(item->value.reports, &Report::listed)) {
    const auto checked = co_await check_minute(self, &ns, minute);
    if (!checked && is_away(checked.error())) {
      item->outcome = outcome_of(checked.error());
      item->at_least = std::chrono::seconds(checked.error().status.retry_after);
      co_return;
    }
    if (!checked) self->log_minute(ns, checked.error());
    has_more = checked.has_value();
  }
  while (has_more) {
    {
      const auto held = self->shared.state.hold();
      if (held->stopping) co_return;
      if (!held->index.is_whole(ns, minute)) break;
    }
    std::vector<client::Request> request;
    request.push_back(delete_minute(ns, minute));
    const auto answers = co_await self->api.send_all(std::move(request));
    if (answers[0]) {
      has_more = self->forget_listed(*answers[0]);
      continue;
    }
    const auto& error = answers[0].error();
    if (is_away(error) && error.kind != Error::Kind::timeout) {
      item->outcome = async::Outcome::retry_all;
      item->at_least = std::chrono::seconds(error.status.retry_after);
      co_return;
    }
    if (is_refused(error)) self->minutes_refused = true;
    self->log_minute(ns, error);
    break;
  }
  self->queue_rest(item->value.reports);
}

void ReportDeleter::Impl::log_minute(const std::string& ns, const Error& error) {
  if (!log.allows("minute", api.clock().now())) return;
  log::warn("reports not deleted by label, deleting one by one verb={} resource={} namespace={} error={:?}",
            error.request.verb, error.request.resource, ns, error.text());
}

// Lists the reports with the label. A report that was written since podium last saw it, for example by a late
// request of the previous leader, is tracked again.
Task<Result<void>> ReportDeleter::Impl::check_minute(Impl* self, const std::string* ns,
                                                     std::uint32_t minute) {
  // Named, because GCC 12 destroys a closure that is made inside a co_await expression twice.
  const std::function<bool(std::vector<json::value>)> each = [self](std::vector<json::value> items) {
    const auto held = self->shared.state.hold();
    for (const auto& item : items) {
      auto report = read_metadata(item);
      if (!report || held->index.knows(report->ns, report->name, report->uid, report->version)) continue;
      report->kind = ReportKind::decision;
      held->index.track(held->listed(*report, self->api.clock().now()));
      self->looked(*held);
    }
    return !held->stopping;
  };
  client::ListOptions options;
  options.metadata_only = true;
  options.label_selector = labels_of_minute(minute);
  options.field_selector = "spec.dryRun!=true";
  client::CallOptions once;
  once.retry = false;
  const auto listed =
      co_await self->api.list_pages(client::resource::scheduling_reports, *ns, options, each, once);
  if (!listed) co_return std::unexpected(listed.error());
  co_return Result<void>{};
}

// Forgets the reports that the reply to delete_minute() lists. True if the next request may delete more: the
// page is full, and not all of its reports are forgotten already. The API server lists reports that a
// finalizer holds again and again.
bool ReportDeleter::Impl::forget_listed(const std::string& reply) {
  const auto list = api::parse_json(reply);
  const auto* items = list ? api::find_at(*list, "/items") : nullptr;
  if (!items || !items->is_array()) return false;
  std::size_t forgotten = 0;
  const auto held = shared.state.hold();
  for (const auto& item : items->get_array()) {
    const bool known =
        held->index.forget(api::text_at(item, "/metadata/namespace"), api::text_at(item, "/metadata/name"),
                           api::text_at(item, "/metadata/uid"));
    if (known) ++forgotten;
  }
  shared.deleted += forgotten;
  return forgotten > 0 && items->get_array().size() >= kDeletedTogether;
}

void ReportDeleter::Impl::queue_rest(std::vector<Report>& reports) {
  const auto is_left = [this](const Report& report) {
    const auto held = shared.state.hold();
    return held->index.is_taken(report.ns, report.name, report.uid);
  };
  for (auto& report : reports) {
    if (is_left(report)) queue_one(std::move(report));
  }
}

Task<void> ReportDeleter::Impl::look(Impl* self, Deletions::Item* item) {
  const auto& report = item->value.reports.front();
  client::CallOptions once;
  once.retry = false;
  const auto object =
      co_await self->api.get(client::resource::scheduling_reports, report.ns, report.name, once);
  const auto read = object ? read_metadata(*object) : std::nullopt;
  const auto held = self->shared.state.hold();
  // Written during the read: the result of the read is stale.
  if (!held->index.is_taken(report.ns, report.name, report.uid)) co_return;
  if (!object && !client::object_is_gone(object.error())) {
    item->outcome = outcome_of(object.error());
  } else if (!read) {
    held->index.forget(report.ns, report.name, report.uid);
  } else {
    const auto now = self->api.clock().now();
    const auto ttl = full_ttl(*object, *read, held->default_ttl);
    Report known = held->listed(*read, now);
    known.look = false;
    known.due = ttl >= explain::kKept ? RetentionIndex::kNever : held->due_of(read->written, 0, ttl, now);
    known.bytes = static_cast<std::uint32_t>(json::serialize(*object).size());
    held->index.track(known);
    self->looked(*held);
  }
}

ReportDeleter::ReportDeleter(client::Api& api, SharedRetention& shared, Backoffs backoffs, async::Gate& gate,
                             asio::any_io_executor io, Looked looked)
    : impl_(std::make_unique<Impl>(api, shared, backoffs, gate, std::move(io), std::move(looked))) {}
ReportDeleter::~ReportDeleter() = default;

void ReportDeleter::push(std::vector<Report> reports) { impl_->queue(std::move(reports)); }

void ReportDeleter::deleted(const Report& report, const Result<std::string>& answer) {
  if (impl_->forget_deleted(report, answer)) return;
  {
    const auto held = impl_->shared.state.hold();
    held->index.restore(report);
  }
  auto left = report;
  left.look = is_another(answer);
  impl_->queue_one(std::move(left));
}

void ReportDeleter::forget_refusals() { impl_->minutes_refused = false; }

}  // namespace podium::controller
