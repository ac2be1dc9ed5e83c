#include "client/watch/change_batch.h"

#include <utility>

#include "api/text/parse_json.h"
#include "client/decode/list_page.h"
#include "client/decode/managed_fields.h"
#include "log/log.h"

namespace podium::client {
namespace {

constexpr std::size_t kChangesPerCall = 256;  // of the handler
constexpr std::size_t kNamesLogged = 256;     // of objects that cannot be parsed

}  // namespace

ChangeBatch::ChangeBatch(std::string resource, ReflectorHandler& handler)
    : resource_(std::move(resource)),
      handler_(handler),
      keeps_managers_(resource_ == resource::scheduling_reports.plural) {}

Result<WatchEvent> ChangeBatch::parse_event(std::string_view line) {
  auto event = parse_watch_event(read_part_of(line), &memory_);
  // As a whole, for the outline of an object that cannot be parsed.
  return event && event->problem.empty() ? std::move(event) : parse_watch_event(line, &memory_);
}

// The managers of a report say who wrote it.
std::string_view ChangeBatch::read_part_of(std::string_view text) {
  return keeps_managers_ ? text : without_managed_fields(text, text_);
}

void ChangeBatch::end_list(std::string_view resource_version) {
  known_.end_list(resource_version, batch_);
  dispatch();
}

void ChangeBatch::add_item(std::string_view text) {
  auto item = api::parse_json(read_part_of(text), &memory_);
  bool accepted = false;
  if (item) {
    accepted = known_.upsert(*item, batch_);
  } else {
    auto outline = read_outline(text, &memory_);
    accepted = add_unreadable(outline, item.error().message);
  }
  if (!accepted) ++rejected_;
}

void ChangeBatch::add_event(WatchEvent& event) {
  bool accepted = false;
  if (event.type == WatchEvent::Type::deleted) {
    accepted = known_.remove(event.object, batch_);
  } else if (event.problem.empty()) {
    accepted = known_.upsert(event.object, batch_);
  } else {
    accepted = add_unreadable(event.object, event.problem);
  }
  if (!accepted) ++rejected_;
}

bool ChangeBatch::add_unreadable(boost::json::value& outline, const std::string& problem) {
  ++unreadable_;
  auto name = name_of(outline);
  if (logged_.size() < kNamesLogged && !logged_.contains(name)) {
    log::warn("object cannot be parsed resource={} object={} error={:?}", resource_, name, problem);
    logged_.insert(std::move(name));
  }
  return known_.upsert(outline, batch_, false);
}

void ChangeBatch::dispatch() {
  if (batch_.empty()) return;
  changes_ += batch_.size();
  handler_.changed(batch_);
  batch_.clear();
}

void ChangeBatch::release() {
  dispatch();
  memory_.reset();
}

void ChangeBatch::release_if_full() {
  if (batch_.size() >= kChangesPerCall) release();
}

}  // namespace podium::client
