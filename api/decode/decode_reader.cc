#include "api/decode/decode_reader.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/time.h"

namespace podium::api::detail {
namespace {

namespace json = boost::json;

constexpr std::size_t kMostFaults = 10;

// Appends the path from `from` to the value at address `to`. False: `to` is not below `from`.
bool find_path(const json::value& from, const json::value* to, std::string& path) {
  if (&from == to) return true;
  const auto length = path.size();
  if (const auto* object = from.if_object()) {
    for (const auto& entry : *object) {
      if (!path.empty()) path += '.';
      path.append(entry.key().data(), entry.key().size());
      if (find_path(entry.value(), to, path)) return true;
      path.resize(length);
    }
  } else if (const auto* array = from.if_array()) {
    for (std::size_t i = 0; i < array->size(); ++i) {
      path += '[' + std::to_string(i) + ']';
      if (find_path((*array)[i], to, path)) return true;
      path.resize(length);
    }
  }
  return false;
}

// The value of a JSON number that is an integer; nullopt for others.
std::optional<std::int64_t> whole(const json::value& value) {
  if (const auto* number = value.if_int64()) return *number;
  if (const auto* number = value.if_double()) {
    if (std::trunc(*number) == *number && std::abs(*number) < 0x1p62)
      return static_cast<std::int64_t>(*number);
  }
  return std::nullopt;
}

// Boost reads 1e400 as infinity, where Go's decoder refuses it.
bool is_finite(const json::value& value) { return !value.is_double() || std::isfinite(value.get_double()); }

std::string number_text(const json::value& value) {
  if (!is_finite(value)) return "a number over 1.8e308";
  if (const auto* number = value.if_int64()) return std::to_string(*number);
  if (const auto* number = value.if_uint64()) return std::to_string(*number);
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value.get_double()).ptr;
  return std::string(text, end);
}

}  // namespace

std::string_view kind_name(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null:
      return "null";
    case json::kind::bool_:
      return "a boolean";
    case json::kind::int64:
    case json::kind::uint64:
    case json::kind::double_:
      return "a number";
    case json::kind::string:
      return "a string";
    case json::kind::array:
      return "a list";
    case json::kind::object:
      return "an object";
  }
  return "something else";
}

void Reader::note(const json::value& at, std::string problem) {
  // A wrong value has one fault, also if it is read again.
  if (std::ranges::find(faults_, &at, &Fault::at) != faults_.end()) return;
  if (++count_ <= kMostFaults) faults_.push_back({&at, std::move(problem)});
}

Error Reader::error() const {
  std::vector<Finding> findings;
  for (const auto& [at, problem] : faults_) {
    std::string path(path_);
    find_path(root_, at, path);
    findings.push_back({.path = std::move(path), .reason = problem});
  }
  if (const auto more = count_ - faults_.size(); more > 0)
    findings.push_back({.reason = "and " + std::to_string(more) + " more", .is_whole = true});
  return invalid(std::move(findings)).error();
}

Field Field::operator[](std::string_view key) const {
  const auto* entries = object();
  const auto* found = entries ? entries->if_contains(key) : nullptr;
  return Field(*reader_, found && !found->is_null() ? found : nullptr);
}

void Field::expected(std::string_view what) const {
  reader_->note(*value_, "expected " + std::string(what) + ", got " + std::string(kind_name(*value_)));
}

const json::array* Field::array() const {
  if (!value_) return nullptr;
  const auto* items = value_->if_array();
  if (!items) expected("a list");
  return items;
}

const json::object* Field::object() const {
  if (!value_) return nullptr;
  const auto* entries = value_->if_object();
  if (!entries) expected("an object");
  return entries;
}

std::size_t Field::size() const {
  if (!value_) return 0;
  if (const auto* items = value_->if_array()) return items->size();
  if (const auto* entries = value_->if_object()) return entries->size();
  return 0;
}

std::string_view Field::text() const {
  if (!value_) return {};
  if (const auto* text = value_->if_string()) return {text->data(), text->size()};
  expected("a string");
  return {};
}

std::string Field::json() const {
  if (!value_) return {};
  if (const auto* text = value_->if_string()) return {text->data(), text->size()};
  return boost::json::serialize(*value_);
}

void Field::into(std::string& target) const {
  if (value_) target = text();
}

void Field::into(bool& target) const {
  if (!value_) return;
  if (const auto* flag = value_->if_bool()) {
    target = *flag;
  } else {
    expected("a boolean");
  }
}

void Field::into(std::int64_t& target) const {
  if (!value_) return;
  if (const auto number = whole(*value_)) {
    target = *number;
  } else if (value_->is_number()) {
    wrong(number_text(*value_) + " is not a 64-bit integer");
  } else {
    expected("an integer");
  }
}

void Field::into(std::int32_t& target) const {
  using Limits = std::numeric_limits<std::int32_t>;
  if (!value_) return;
  if (const auto number = whole(*value_); number && *number >= Limits::min() && *number <= Limits::max()) {
    target = static_cast<std::int32_t>(*number);
  } else if (value_->is_number()) {
    wrong(number_text(*value_) + " is not a 32-bit integer");
  } else {
    expected("an integer");
  }
}

void Field::into(Quantity& target) const {
  if (!value_) return;
  if (!value_->is_string() && !value_->is_number()) return expected("a quantity");
  if (!is_finite(*value_)) return wrong(number_text(*value_) + " is not a quantity");
  const auto parsed = value_->is_string() ? Quantity::parse(text()) : Quantity::parse(number_text(*value_));
  if (parsed) {
    target = *parsed;
  } else {
    wrong(parsed.error().message);
  }
}

void Field::into(std::optional<Wall>& target) const {
  if (!value_) return;
  const auto parsed = parse_time(text());
  if (parsed) {
    target = parsed;
  } else {
    wrong("expected an RFC 3339 time");
  }
}

void Field::into(Labels& target) const {
  if (!value_) return;
  std::vector<Labels::Entry> entries;
  entries.reserve(size());
  members([&](std::string_view key, Field field) { entries.emplace_back(key, field.text()); });
  target = Labels(std::move(entries));
}

void Field::into(ResourceList& target) const {
  if (!value_) return;
  ResourceList::Items items;
  items.reserve(size());
  members(
      [&](std::string_view name, Field field) { field.into(items.emplace_back(name, Quantity()).second); });
  const auto by_name = [](const auto& a, const auto& b) { return a.first < b.first; };
  if (!std::is_sorted(items.begin(), items.end(), by_name)) std::sort(items.begin(), items.end(), by_name);
  target = std::move(items);
}

void Field::into(std::vector<std::string>& target) const {
  list(target, [](Field item) { return std::string(item.text()); });
}

}  // namespace podium::api::detail
