#include "controller/what_if/what_if_reader.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "client/auth/url.h"
#include "client/decode/list_page.h"
#include "controller/what_if/answer_patch.h"
#include "controller/what_if/asker.h"
#include "explain/question/report_text.h"

namespace podium::controller {
namespace {

using client::Task;

constexpr int kPage = 20;  // reports per page of a list

// The controller's queues and pauses try again.
client::CallOptions one_try() {
  client::CallOptions options;
  options.deadline = kAnswerTimeout;
  options.retry = false;
  return options;
}

}  // namespace

Task<bool> read_subject(Asker* asker, ReadWhatIf* read) {
  if (!read->reference) co_return true;
  auto question = std::make_shared<const explain::Question>(std::move(*read->question));
  auto reading = asker->refer(std::move(question), std::move(*read->reference), Steady::max());
  auto referred = co_await std::move(reading);
  if (!referred) co_return false;
  if (*referred)
    read->question = ***referred;
  else
    read->question = std::unexpected(referred->error());
  co_return true;
}

bool WhatIfReader::is_ours(std::string_view scheduler_name) const {
  return scheduler_name.empty() || config_.profile(scheduler_name) != nullptr;
}

Task<Result<std::optional<ReadWhatIf>>> WhatIfReader::read(std::string ns, std::string name, bool again) {
  auto path = client::resource::scheduling_reports.path(ns, name);
  const auto text = co_await api_.get_text(std::move(path), one_try());
  if (!text) co_return std::unexpected(text.error());
  const auto report = explain::scan_report(*text);
  if (!report) co_return std::unexpected(report.error());
  const bool is_answered = report->is_answered();
  if (!report->is_what_if || (is_answered && !again) || !is_ours(report->scheduler_name))
    co_return std::nullopt;
  ReadWhatIf what_if{.asked = asked_of(*report),
                     .question = explain::read_question(*report, config_.podium.reports.ttl),
                     .bytes = text->size(),
                     .again = is_answered};
  auto& question = what_if.question;
  if (question) {
    question->withholds_node_names = config_.podium.withhold_node_names;
    what_if.ttl = question->ttl;
    what_if.refresh = question->refresh;
  }
  if (question && !question->subject) {
    const auto referred = std::make_shared<const explain::Question>(*question);
    auto text = co_await read_reference(referred);
    if (!text) co_return std::unexpected(text.error());
    what_if.reference = std::move(*text);
    if (!what_if.reference) question = invalid(explain::not_found(*referred));
  }
  co_return std::optional<ReadWhatIf>(std::move(what_if));
}

Task<Result<std::optional<std::string>>> WhatIfReader::read_reference(
    std::shared_ptr<const explain::Question> question) {
  const auto& [maker, name] = explain::referred(*question);
  const client::Resource resource{std::string(maker.group), std::string(maker.version),
                                  std::string(maker.plural)};
  auto path = resource.path(question->meta.namespace_, name);
  auto text = co_await api_.get_text(std::move(path), one_try());
  if (text) co_return std::optional(std::move(*text));
  // A 404 without a reason comes from a proxy, not from the API server.
  if (client::object_is_gone(text.error())) co_return std::nullopt;
  co_return std::unexpected(text.error());
}

Task<Result<Asked>> WhatIfReader::stored(std::string ns, std::string name) {
  auto path = client::resource::scheduling_reports.path(ns, name);
  const auto text = co_await api_.get_text(std::move(path), one_try());
  if (!text) co_return std::unexpected(text.error());
  const auto report = explain::scan_report(*text);
  if (!report) co_return std::unexpected(report.error());
  co_return asked_of(*report);
}

Task<Result<void>> WhatIfReader::list(std::function<void(const Asked&)> each) {
  const auto first = fmt::format("{}?limit={}&fieldSelector=spec.dryRun%3Dtrue",
                                 client::resource::scheduling_reports.path(""), kPage);
  bool has_items = false;
  const std::function<void(std::string_view)> take = [this, &each, &has_items](std::string_view item) {
    has_items = true;
    const auto report = explain::scan_report(item);
    if (report && report->is_what_if && !report->is_answered() && is_ours(report->scheduler_name))
      each(asked_of(*report));
  };
  client::PageProgress progress;
  std::string token;
  do {
    auto path = token.empty() ? first : first + "&continue=" + client::percent_encode(token);
    const auto page = co_await api_.get_text(std::move(path), one_try());
    if (!page) co_return std::unexpected(page.error());
    const auto next = explain::scan_list(*page, take);
    if (!next) co_return std::unexpected(next.error());
    if (!progress.add(*next, std::exchange(has_items, false)))
      co_return std::unexpected(client::PageProgress::error());
    token = *next;
  } while (!token.empty());
  co_return Result<void>();
}

}  // namespace podium::controller
