#include "explain/report/json.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <charconv>
#include <concepts>
#include <limits>
#include <type_traits>
#include <utility>

#include "api/text/json_string.h"
#include "api/text/json_view.h"
#include "api/text/parse_json.h"
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

// Writes the text immediately: a tree of values would cost three times as much.
class Writer {
 public:
  // `nulls`: an empty field is null instead of absent. A merge patch replaces lists as a whole.
  Writer(std::string& out, bool nulls) : out_(out), nulls_(nulls) {}

  template <HasFields T>
  void object(const T& value) const {
    out_ += '{';
    add(value);
    out_ += '}';
  }

 private:
  // These return whether a value that is not null was written.
  template <typename T>
  bool add(const T& owner) const {
    bool is_written = false;
    each_field<T>([&](const auto& field) { is_written |= put(owner, field); });
    return is_written;
  }
  template <typename Owner, typename Type>
  bool put(const Owner& owner, const Field<Owner, Type>& field) const {
    const auto& value = owner.*field.member;
    if (!field.is_required && is_empty(value)) return absent(field.name);
    begin(field.name);
    write(value, most_bytes(field.meaning, field.bound), field.bound.items);
    return true;
  }
  template <typename Owner>
  bool put(const Owner& owner, const Numeral<Owner>& field) const {
    if (owner.*field.member == 0) return absent(field.name);
    begin(field.name);
    out_ += '"';
    number(owner.*field.member);
    out_ += '"';
    return true;
  }
  template <typename Owner, typename Type>
  bool put(const Owner& owner, const Counted<Owner, Type>& field) const {
    if (owner.*field.total == 0) {
      absent(field.name);
      return absent(field.total_name);
    }
    begin(field.name);
    write(owner.*field.member, most_bytes(field.meaning, field.bound), field.bound.items);
    begin(field.total_name);
    write(owner.*field.total);
    return true;
  }
  template <typename Owner, typename... Members>
  bool put(const Owner& owner, const Group<Members...>& group) const {
    const auto before = out_.size();
    begin(group.name);
    out_ += '{';
    bool is_written = false;
    each_field(group, [&](const auto& field) { is_written |= put(owner, field); });
    out_ += '}';
    if (is_written) return true;
    out_.resize(before);
    return absent(group.name);
  }
  template <typename Owner, typename Part>
  bool put(const Owner& owner, const Inlined<Owner, Part>& field) const {
    const auto& part = owner.*field.member;
    if (part) return add(*part);
    each_field<Part>([&](const auto& one) { none(one); });
    return false;
  }
  template <typename Owner, typename Result>
  bool put(const Owner& owner, const Derived<Owner, Result>& field) const {
    begin(field.name);
    object(field.of(owner));
    return true;
  }
  template <typename Owner, typename Object>
  bool put(const Owner& owner, const Rest<Owner, Object>& field) const {
    for (const auto& [name, value] : owner.*field.member) {
      separate();
      api::append_json(out_, name);  // another client may have written it
      out_ += ':';
      out_ += json::serialize(value);
    }
    return true;
  }

  bool absent(const char* name) const {
    if (!nulls_) return false;
    begin(name);
    out_ += "null";
    return false;
  }
  template <typename AnyField>
  void none(const AnyField& field) const {
    absent(field.name);
    if constexpr (requires { field.total_name; }) absent(field.total_name);
  }

  // Only an object's beginning ends with a brace that opens.
  void separate() const {
    if (out_.back() != '{') out_ += ',';
  }
  // `name`: a field's, which needs no escapes.
  void begin(std::string_view name) const {
    char text[64];
    if (name.size() > sizeof text - 4) {
      separate();
      out_.append("\"").append(name).append("\":");
      return;
    }
    // With one append: names are half of a report.
    char* to = text;
    if (out_.back() != '{') *to++ = ',';
    *to++ = '"';
    to = std::ranges::copy(name, to).out;
    *to++ = '"';
    *to++ = ':';
    out_.append(text, to);
  }

  template <std::integral T>
  void number(T value) const {
    char text[24];
    out_.append(text, std::to_chars(text, text + sizeof text, value).ptr);
  }
  void text(const std::string& value, std::size_t most) const {
    api::append_json(out_, value.size() > most ? cut(value, most) : value);
  }

  // `bytes`: the most of a text. `items`: the most of a list.
  template <typename T>
  void write(const T& value, std::size_t bytes = most_bytes(Meaning::value, {}),
             std::size_t items = 0) const {
    if constexpr (Optional<T>) {
      if (value) return write(*value, bytes, items);
      out_ += "null";
    } else if constexpr (std::same_as<T, framework::Topics>) {
      out_ += '{';
      for (const auto& [topic, name] : value) {
        begin(kTopicKeys[static_cast<std::size_t>(topic)]);
        text(name, kTopicBytes[static_cast<std::size_t>(topic)]);
      }
      out_ += '}';
    } else if constexpr (ListField<T>) {
      const Writer item(out_, false);
      char before = '[';
      for (std::size_t i = 0; i < std::min(value.size(), items); ++i) {
        out_ += before;
        item.write(value[i], bytes);
        before = ',';
      }
      out_ += before == '[' ? "[]" : "]";
    } else if constexpr (HasFields<T>) {
      object(value);
    } else if constexpr (std::same_as<T, Wall>) {
      api::append_json(out_, format_time(value));
    } else if constexpr (std::same_as<T, std::chrono::nanoseconds>) {
      number(std::chrono::duration_cast<std::chrono::microseconds>(value).count());
    } else if constexpr (std::same_as<T, Truth>) {
      out_ += value ? "\"True\"" : "\"False\"";
    } else if constexpr (std::same_as<T, bool>) {
      out_ += value ? "true" : "false";
    } else if constexpr (std::unsigned_integral<T>) {
      number(std::min<std::uint64_t>(value, kMostCounted));
    } else if constexpr (std::integral<T>) {
      number(value);
    } else {
      text(value, bytes);
    }
  }

  std::string& out_;
  bool nulls_;
};

template <typename T>
std::string text_of(const T& value, bool nulls) {
  constexpr std::size_t kUsual = 4096;
  std::string out;
  out.reserve(kUsual);
  Writer(out, nulls).object(value);
  return out;
}

template <typename T>
json::object object_of(const T& value, bool nulls) {
  return std::move(api::parse_json(text_of(value, nulls)).value().as_object());
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
  template <typename... Members>
  void operator()(const Group<Members...>& group) const {
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

std::string to_text(const ReportStatus& status) { return text_of(status, false); }

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
