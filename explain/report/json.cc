#include "explain/report/json.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <charconv>
#include <concepts>
#include <limits>
#include <type_traits>
#include <utility>

#include "api/text/json_memory.h"
#include "api/text/json_string.h"
#include "api/text/json_view.h"
#include "base/time.h"
#include "explain/report/each_field.h"

namespace podium::explain {
namespace {

namespace json = boost::json;

// The largest count that the CRD allows: int32.
constexpr std::uint64_t kMostCounted = std::numeric_limits<std::int32_t>::max();

template <typename T>
bool is_empty(const T& value) {
  if constexpr (Optional<T>) {
    return !value.has_value();
  } else if constexpr (requires { value.empty(); }) {
    return value.empty();
  } else if constexpr (HasFields<T>) {
    return false;
  } else {
    return value == T{};
  }
}

// --- writing ---

// Whether a field is written. The fields of an absent one are absent too.
template <typename Owner, typename Type>
bool has(const Owner& owner, const Field<Owner, Type>& field) {
  return field.is_required || !is_empty(owner.*field.member);
}
template <typename Owner>
bool has(const Owner& owner, const Numeral<Owner>& field) {
  return owner.*field.member != 0;
}
template <typename Owner, typename Type>
bool has(const Owner& owner, const Counted<Owner, Type>& field) {
  return owner.*field.total != 0;
}
template <typename Owner, typename List>
bool has(const Owner& owner, const Group<List>& group) {
  bool any = false;
  each_field(group, [&](const auto& field) { any |= has(owner, field); });
  return any;
}

// Writes text immediately: a tree of values would cost three times as much.
class Text {
 public:
  explicit Text(std::string& out) : out_(out) {}

  void open_object() { out_ += '{'; }
  void close_object() { out_ += '}'; }
  void open_list() { out_ += '['; }
  void close_list() { out_ += ']'; }
  // Only the beginning of a list ends with a bracket that opens, and only that of an object with a brace.
  void item() {
    if (out_.back() != '[') out_ += ',';
  }
  // `name`: a field's, which needs no escapes.
  void key(std::string_view name) {
    char joined[64];
    if (name.size() > sizeof joined - 4) return foreign_key(name);
    // With one append: names are half of a report.
    char* to = joined;
    if (out_.back() != '{') *to++ = ',';
    *to++ = '"';
    to = std::ranges::copy(name, to).out;
    *to++ = '"';
    *to++ = ':';
    out_.append(joined, to);
  }
  void foreign_key(std::string_view name) {
    if (out_.back() != '{') out_ += ',';
    api::append_json(out_, name);
    out_ += ':';
  }

  void null() { out_ += "null"; }
  void truth(bool given) { out_ += given ? "true" : "false"; }
  void number(std::int64_t given) {
    char digits[24];
    out_.append(digits, std::to_chars(digits, digits + sizeof digits, given).ptr);
  }
  void text(std::string_view given) { api::append_json(out_, given); }
  void value(const json::value& given) { out_ += json::serialize(given); }

 private:
  std::string& out_;
};

class Tree {
 public:
  Tree() { open_list(); }  // of the whole

  void open_object() { open_.push_back({json::object(api::json_memory())}); }
  void close_object() { close(); }
  void open_list() { open_.push_back({json::array(api::json_memory())}); }
  void close_list() { close(); }
  void item() {}
  void key(std::string_view name) { open_.back().key = name; }
  void foreign_key(std::string_view name) { key(name); }

  void null() { value(nullptr); }
  void truth(bool given) { value(given); }
  void number(std::int64_t given) { value(given); }
  void text(std::string_view given) { value(json::value(given, api::json_memory())); }
  void value(json::value given) {
    auto& [to, key] = open_.back();
    if (auto* list = to.if_array()) {
      list->push_back(std::move(given));
    } else {
      to.get_object().insert_or_assign(key, std::move(given));
    }
  }

  json::object take() { return std::move(open_.front().value.get_array().front().get_object()); }

 private:
  void close() {
    auto done = std::move(open_.back().value);
    open_.pop_back();
    value(std::move(done));
  }

  struct Open {
    json::value value;
    std::string_view key = {};  // of the next member
  };
  std::vector<Open> open_;
};

template <typename Out>
class Writer {
 public:
  // `nulls`: an empty field is null instead of absent. A merge patch replaces lists as a whole.
  Writer(Out& out, bool nulls) : out_(out), nulls_(nulls) {}

  template <HasFields T>
  void object(const T& value) const {
    out_.open_object();
    add(value);
    out_.close_object();
  }

 private:
  template <typename T>
  void add(const T& owner) const {
    each_field<T>([&](const auto& field) { put(owner, field); });
  }
  template <typename Owner, typename Type>
  void put(const Owner& owner, const Field<Owner, Type>& field) const {
    if (!has(owner, field)) return absent(field);
    out_.key(field.name);
    write(owner.*field.member, most_bytes(field.meaning, field.bound), field.bound.items);
  }
  template <typename Owner>
  void put(const Owner& owner, const Numeral<Owner>& field) const {
    if (!has(owner, field)) return absent(field);
    out_.key(field.name);
    out_.text(std::to_string(owner.*field.member));
  }
  template <typename Owner, typename Type>
  void put(const Owner& owner, const Counted<Owner, Type>& field) const {
    if (!has(owner, field)) return absent(field);
    out_.key(field.name);
    write(owner.*field.member, most_bytes(field.meaning, field.bound), field.bound.items);
    out_.key(field.total_name);
    write(owner.*field.total);
  }
  template <typename Owner, typename List>
  void put(const Owner& owner, const Group<List>& group) const {
    if (!has(owner, group)) return absent(group);
    out_.key(group.name);
    out_.open_object();
    each_field(group, [&](const auto& field) { put(owner, field); });
    out_.close_object();
  }
  template <typename Owner, typename Part>
  void put(const Owner& owner, const Inlined<Owner, Part>& field) const {
    const auto& part = owner.*field.member;
    if (part) return add(*part);
    each_field<Part>([&](const auto& one) { absent(one); });
  }
  template <typename Owner, typename Result>
  void put(const Owner& owner, const Derived<Owner, Result>& field) const {
    out_.key(field.name);
    object(field.of(owner));
  }
  template <typename Owner, typename Object>
  void put(const Owner& owner, const Rest<Owner, Object>& field) const {
    for (const auto& [name, value] : owner.*field.member) {
      out_.foreign_key(name);  // another client may have written it
      out_.value(value);
    }
  }

  template <typename AnyField>
  void absent(const AnyField& field) const {
    if (!nulls_) return;
    out_.key(field.name);
    out_.null();
    if constexpr (requires { field.total_name; }) {
      out_.key(field.total_name);
      out_.null();
    }
  }

  void text(const std::string& value, std::size_t most) const {
    if (value.size() > most) return out_.text(cut(value, most));
    out_.text(value);
  }

  // `bytes`: the most of a text. `items`: the most of a list.
  template <typename T>
  void write(const T& value, std::size_t bytes = most_bytes(Meaning::value, {}),
             std::size_t items = 0) const {
    if constexpr (Optional<T>) {
      if (value) return write(*value, bytes, items);
      out_.null();
    } else if constexpr (std::same_as<T, framework::Topics>) {
      out_.open_object();
      for (const auto& [topic, name] : value) {
        out_.key(kTopicKeys[static_cast<std::size_t>(topic)]);
        text(name, kTopicBytes[static_cast<std::size_t>(topic)]);
      }
      out_.close_object();
    } else if constexpr (ListField<T>) {
      const Writer item(out_, false);
      out_.open_list();
      for (std::size_t i = 0; i < std::min(value.size(), items); ++i) {
        out_.item();
        item.write(value[i], bytes);
      }
      out_.close_list();
    } else if constexpr (HasFields<T>) {
      object(value);
    } else if constexpr (std::same_as<T, Wall>) {
      out_.text(format_time(value));
    } else if constexpr (std::same_as<T, std::chrono::nanoseconds>) {
      out_.number(std::chrono::duration_cast<std::chrono::microseconds>(value).count());
    } else if constexpr (std::same_as<T, Truth>) {
      out_.text(value ? "True" : "False");
    } else if constexpr (std::same_as<T, bool>) {
      out_.truth(value);
    } else if constexpr (std::unsigned_integral<T>) {
      out_.number(static_cast<std::int64_t>(std::min<std::uint64_t>(value, kMostCounted)));
    } else if constexpr (std::integral<T>) {
      out_.number(value);
    } else {
      text(value, bytes);
    }
  }

  Out& out_;
  bool nulls_;
};

template <typename T>
json::object object_of(const T& value, bool nulls) {
  Tree out;
  Writer(out, nulls).object(value);
  return out.take();
}

// --- reading ---

// podium writes far smaller numbers. These bounds keep sums of products in 64 bits if another client wrote
// the report.
constexpr std::int64_t kMostWeight = 10'000'000'000, kMostPoints = 1'000'000,
                       kMostNumber = 1'000'000'000'000'000;
constexpr std::size_t kMostStrategies = 32;  // as the CRD allows

template <typename T>
void read(const json::value& from, T& to);

template <typename T>
struct Reading {
  const json::object& from;
  T& to;

  template <typename Type>
  void operator()(const Field<T, Type>& field) const {
    if (const auto* value = from.if_contains(field.name)) read(*value, to.*field.member);
  }
  void operator()(const Numeral<T>& field) const {
    const auto* value = from.if_contains(field.name);
    if (!value || !value->is_string()) return;
    const auto& text = value->get_string();
    std::from_chars(text.data(), text.data() + text.size(), to.*field.member);
  }
  template <typename Type>
  void operator()(const Counted<T, Type>& field) const {
    if (const auto* value = from.if_contains(field.name)) read(*value, to.*field.member);
    if (const auto* total = from.if_contains(field.total_name)) read(*total, to.*field.total);
    to.*field.total = std::max(to.*field.total, (to.*field.member).size());
  }
  template <typename List>
  void operator()(const Group<List>& group) const {
    const auto* value = from.if_contains(group.name);
    if (value && value->is_object()) each_field(group, Reading{value->get_object(), to});
  }
  template <typename Part>
  void operator()(const Inlined<T, Part>& field) const {
    bool is_there = false;
    each_field<Part>([&](const auto& one) { is_there |= from.contains(one.name); });
    if (is_there) each_field<Part>(Reading<Part>{from, (to.*field.member).emplace()});
  }
  template <typename Result>
  void operator()(const Derived<T, Result>&) const {}
  template <typename Object>
  void operator()(const Rest<T, Object>& field) const {
    const auto is_named = [](std::string_view key) {
      bool found = false;
      each_field<T>([&](const auto& one) {
        if constexpr (requires { one.name; }) found |= key == one.name;
      });
      return found;
    };
    for (const auto& [key, value] : from) {
      if (!is_named(key)) (to.*field.member).emplace(key, value);
    }
  }
};

template <typename T>
void read(const json::value& from, T& to) {
  if constexpr (Optional<T>) {
    using Value = T::value_type;
    if (from.is_null() || (HasFields<Value> && !from.is_object())) return;
    if constexpr (std::same_as<Value, Wall>) {
      if (from.is_string()) to = parse_time(from.get_string());
    } else if constexpr (std::integral<Value>) {
      if (from.is_int64() || from.is_uint64()) read(from, to.emplace());
    } else {
      read(from, to.emplace());
    }
  } else if constexpr (std::same_as<T, framework::Topics>) {
    for (std::size_t topic = 0; topic < std::size(kTopicKeys); ++topic) {
      const auto* name = api::member(&from, kTopicKeys[topic]);
      if (name && name->is_string())
        to.emplace_back(static_cast<framework::Topic>(topic), std::string(name->get_string()));
    }
  } else if constexpr (ListField<T>) {
    const auto* list = from.if_array();
    if (!list) return;
    for (const auto& one : *list) read(one, to.emplace_back());
  } else if constexpr (HasFields<T>) {
    if (const auto* object = from.if_object()) each_field<T>(Reading<T>{*object, to});
  } else if constexpr (std::same_as<T, bool>) {
    to = from.is_bool() && from.get_bool();
  } else if constexpr (std::same_as<T, Truth>) {
    to = from.is_string() && from.get_string() == "True";
  } else if constexpr (std::same_as<T, Wall>) {
    if (from.is_string()) to = parse_time(from.get_string()).value_or(Wall{});
  } else if constexpr (std::same_as<T, std::chrono::nanoseconds>) {
    std::int64_t count = 0;
    read(from, count);
    to = std::chrono::microseconds(count);
  } else if constexpr (std::same_as<T, std::string>) {
    if (from.is_string()) {
      to = from.get_string();
    } else if (!from.is_null()) {
      to = json::serialize(from);
    }
  } else {
    static_assert(std::integral<T>);
    const auto number =
        from.is_int64() ? from.get_int64()
        : from.is_uint64()
            ? static_cast<std::int64_t>(std::min<std::uint64_t>(from.get_uint64(), kMostNumber))
            : 0;
    const auto most = std::min(kMostNumber, static_cast<std::int64_t>(std::min<std::uint64_t>(
                                                std::numeric_limits<T>::max(), kMostNumber)));
    to = static_cast<T>(std::clamp(number, std::is_signed_v<T> ? -most : 0, most));
  }
}

void keep_within_bounds(ReportStatus& status) {
  if (status.strategies.size() > kMostStrategies) status.strategies.clear();
  for (auto& strategy : status.strategies)
    strategy.weight = std::clamp(strategy.weight, -kMostWeight, kMostWeight);
  for (auto& node : status.top_nodes) {
    for (auto& score : node.strategy_scores) score = std::clamp(score, -kMostPoints, kMostPoints);
  }
}

}  // namespace

std::string to_text(const ReportStatus& status) {
  constexpr std::size_t kUsual = 4096;
  std::string out;
  out.reserve(kUsual);
  Text text(out);
  Writer(text, false).object(status);
  return out;
}

json::object to_json(const ReportStatus& status) { return object_of(status, false); }

json::object to_json(const ReportRejection& rejection) { return object_of(rejection, false); }

json::object to_merge_patch(const ReportStatus& status) { return object_of(status, true); }

ReportStatus read_status(const json::value& status) {
  ReportStatus out;
  read(status, out);
  keep_within_bounds(out);
  return out;
}

Report read_report(const json::value& object) {
  static const json::value kNothing;
  const auto part = [](const json::value& value, std::string_view key) -> const json::value& {
    const auto* found = api::member(&value, key);
    return found ? *found : kNothing;
  };
  const auto text = [&](const json::value& value, std::string_view key) {
    const auto& found = part(value, key);
    return found.is_string() ? std::string(found.get_string()) : std::string();
  };
  const auto &metadata = part(object, "metadata"), &spec = part(object, "spec"),
             &status = part(object, "status");
  Report report{.ns = text(metadata, "namespace"),
                .name = text(metadata, "name"),
                .pod = text(part(spec, "podRef"), "name"),
                .pod_uid = text(part(spec, "podRef"), "uid"),
                .status = read_status(status)};
  read(part(spec, "dryRun"), report.is_question);
  read(part(metadata, "generation"), report.generation);
  if (!report.is_question) return report;
  if (!report.status.answer) report.status.answer.emplace();
  if (!part(status, "replicas").is_object()) {
    auto& answer = *report.status.answer;
    read(part(spec, "replicas"), answer.asked);
    answer.asked = std::max<std::size_t>(1, answer.asked);
    if (report.status.outcome == "Fits") answer.fitting = answer.asked;
  }
  return report;
}

}  // namespace podium::explain
