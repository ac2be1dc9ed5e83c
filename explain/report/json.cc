#include "explain/report/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <concepts>
#include <type_traits>
#include <utility>

#include "api/text/json_view.h"
#include "base/time.h"

namespace podium::explain {
namespace {

namespace json = boost::json;

constexpr std::size_t kLongestText = 8192;

template <typename T>
struct IsList : std::false_type {};
template <typename T>
struct IsList<std::vector<T>> : std::true_type {};
template <typename T>
struct IsOptional : std::false_type {};
template <typename T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <typename T>
concept List = IsList<T>::value;
template <typename T>
concept Optional = IsOptional<T>::value;

template <typename Part, typename See>
void each_field(See&& see) {
  std::apply([&](const auto&... field) { (see(field), ...); }, Fields<Part>::all);
}
template <typename... Members, typename See>
void each_field(const Group<Members...>& group, See&& see) {
  std::apply([&](const auto&... field) { (see(field), ...); }, group.fields);
}

// By topic.
constexpr const char* kTopicKeys[] = {
    "resource", "claimName", "storageClassName", "volumeName", "deviceClassName", "request", "driver"};

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

class Writer {
 public:
  // `nulls`: an empty field is null instead of absent. A merge patch replaces lists as a whole.
  Writer(json::storage_ptr memory, bool nulls) : memory_(std::move(memory)), nulls_(nulls) {}

  template <HasFields T>
  json::object object(const T& value) const {
    json::object out(memory_);
    add(value, out);
    return out;
  }

 private:
  template <typename T>
  void add(const T& owner, json::object& out) const {
    each_field<T>([&](const auto& field) { put(owner, field, out); });
  }

  template <typename Owner, typename Type>
  void put(const Owner& owner, const Field<Owner, Type>& field, json::object& out) const {
    const auto& value = owner.*field.member;
    if (!field.is_required && is_empty(value)) return absent(field.name, out);
    if constexpr (std::same_as<Type, std::string>) {
      if (field.meaning == Meaning::text && value.size() > kLongestText) {
        out.emplace(field.name, cut(value, kLongestText));
        return;
      }
    }
    out.emplace(field.name, json_of(value));
  }
  template <typename Owner>
  void put(const Owner& owner, const Numeral<Owner>& field, json::object& out) const {
    if (owner.*field.member == 0) return absent(field.name, out);
    out.emplace(field.name, fmt::format("{}", owner.*field.member));
  }
  template <typename Owner, typename Type>
  void put(const Owner& owner, const Counted<Owner, Type>& field, json::object& out) const {
    if (owner.*field.total == 0) {
      absent(field.name, out);
      return absent(field.total_name, out);
    }
    out.emplace(field.name, json_of(owner.*field.member));
    out.emplace(field.total_name, owner.*field.total);
  }
  template <typename Owner, typename... Members>
  void put(const Owner& owner, const Group<Members...>& group, json::object& out) const {
    json::object inner(memory_);
    each_field(group, [&](const auto& field) { put(owner, field, inner); });
    const bool is_written =
        std::ranges::any_of(inner, [](const auto& one) { return !one.value().is_null(); });
    if (!is_written) return absent(group.name, out);
    out.emplace(group.name, std::move(inner));
  }
  template <typename Owner, typename Part>
  void put(const Owner& owner, const Inlined<Owner, Part>& field, json::object& out) const {
    const auto& part = owner.*field.member;
    if (part) return add(*part, out);
    each_field<Part>([&](const auto& one) { none(one, out); });
  }
  template <typename Owner, typename Result>
  void put(const Owner& owner, const Derived<Owner, Result>& field, json::object& out) const {
    out.emplace(field.name, object(field.of(owner)));
  }
  template <typename Owner, typename Object>
  void put(const Owner& owner, const Rest<Owner, Object>& field, json::object& out) const {
    for (const auto& [name, value] : owner.*field.member) out.emplace(name, value);
  }

  void absent(const char* name, json::object& out) const {
    if (nulls_) out.emplace(name, nullptr);
  }
  template <typename AnyField>
  void none(const AnyField& field, json::object& out) const {
    absent(field.name, out);
    if constexpr (requires { field.total_name; }) absent(field.total_name, out);
  }

  template <typename T>
  json::value json_of(const T& value) const {
    if constexpr (Optional<T>) {
      return value ? json_of(*value) : json::value(nullptr);
    } else if constexpr (std::same_as<T, framework::Topics>) {
      json::object out(memory_);
      for (const auto& [topic, name] : value) out.emplace(kTopicKeys[static_cast<std::size_t>(topic)], name);
      return out;
    } else if constexpr (List<T>) {
      const Writer item(memory_, false);
      json::array out(memory_);
      out.reserve(value.size());
      for (const auto& one : value) out.push_back(item.json_of(one));
      return out;
    } else if constexpr (HasFields<T>) {
      return object(value);
    } else if constexpr (std::same_as<T, Wall>) {
      return json::value(format_time(value), memory_);
    } else if constexpr (std::same_as<T, std::chrono::nanoseconds>) {
      return std::chrono::duration_cast<std::chrono::microseconds>(value).count();
    } else if constexpr (std::same_as<T, Truth>) {
      return json::value(value ? "True" : "False", memory_);
    } else if constexpr (std::same_as<T, std::string>) {
      return json::value(std::string_view(value), memory_);
    } else {
      return json::value(value, memory_);
    }
  }

  json::storage_ptr memory_;
  bool nulls_;
};

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
  } else if constexpr (List<T>) {
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

// --- all fields ---

template <typename T>
void add_paths(const std::string& above, std::vector<std::string>& out);

template <typename Type>
void add_paths_of(const std::string& path, std::vector<std::string>& out) {
  if constexpr (std::same_as<Type, framework::Topics>) {
    for (const auto* key : kTopicKeys) out.push_back(path + "." + key);
  } else if constexpr (Optional<Type> || List<Type>) {
    add_paths_of<typename Type::value_type>(path, out);
  } else {
    if constexpr (HasFields<Type>) add_paths<Type>(path, out);
  }
}

struct Paths {
  const std::string& above;
  std::vector<std::string>& out;

  std::string add(const char* name) const { return out.emplace_back(above + "." + name); }

  template <typename Owner, typename Type>
  void operator()(const Field<Owner, Type>& field) const {
    add_paths_of<Type>(add(field.name), out);
  }
  template <typename Owner>
  void operator()(const Numeral<Owner>& field) const {
    add(field.name);
  }
  template <typename Owner, typename Type>
  void operator()(const Counted<Owner, Type>& field) const {
    add_paths_of<Type>(add(field.name), out);
    add(field.total_name);
  }
  template <typename... Members>
  void operator()(const Group<Members...>& group) const {
    const auto path = add(group.name);
    each_field(group, Paths{path, out});
  }
  template <typename Owner, typename Part>
  void operator()(const Inlined<Owner, Part>&) const {
    each_field<Part>(*this);
  }
  template <typename Owner, typename Result>
  void operator()(const Derived<Owner, Result>& field) const {
    add_paths_of<Result>(add(field.name), out);
  }
  template <typename Owner, typename Object>
  void operator()(const Rest<Owner, Object>&) const {}
};

template <typename T>
void add_paths(const std::string& above, std::vector<std::string>& out) {
  each_field<T>(Paths{above, out});
}

using See = std::function<void(Meaning, std::string&)>;

template <typename T>
void see_texts(T& owner, const See& see);

template <typename T>
void see_texts_of(T& value, Meaning meaning, const See& see) {
  if constexpr (Optional<T>) {
    if (value) see_texts_of(*value, meaning, see);
  } else if constexpr (std::same_as<T, framework::Topics>) {
    for (auto& [topic, name] : value)
      see(topic == framework::Topic::resource ? Meaning::name : Meaning::value, name);
  } else if constexpr (List<T>) {
    for (auto& one : value) see_texts_of(one, meaning, see);
  } else if constexpr (HasFields<T>) {
    see_texts(value, see);
  } else if constexpr (std::same_as<T, std::string>) {
    see(meaning, value);
  }
}

template <typename T>
struct Texts {
  T& owner;
  const See& see;

  template <typename Type>
  void operator()(const Field<T, Type>& field) const {
    see_texts_of(owner.*field.member, field.meaning, see);
  }
  template <typename Type>
  void operator()(const Counted<T, Type>& field) const {
    see_texts_of(owner.*field.member, field.meaning, see);
  }
  template <typename... Members>
  void operator()(const Group<Members...>& group) const {
    each_field(group, *this);
  }
  template <typename Part>
  void operator()(const Inlined<T, Part>& field) const {
    if (owner.*field.member) see_texts(*(owner.*field.member), see);
  }
  // Numerals and derived fields have no text, and the fields of a fix are not podium's texts.
  template <typename Other>
  void operator()(const Other&) const {}
};

template <typename T>
void see_texts(T& owner, const See& see) {
  each_field<T>(Texts<T>{owner, see});
}

}  // namespace

json::object to_json(const ReportStatus& status, json::storage_ptr memory) {
  return Writer(std::move(memory), false).object(status);
}

json::object to_json(const ReportRejection& rejection) { return Writer({}, false).object(rejection); }

json::object to_merge_patch(const ReportStatus& status) { return Writer({}, true).object(status); }

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

std::span<const std::string> status_paths() {
  static const auto kPaths = [] {
    std::vector<std::string> out{"status"};
    add_paths<ReportStatus>("status", out);
    std::ranges::sort(out);
    return out;
  }();
  return kPaths;
}

void each_text(ReportStatus& status, const See& see) { see_texts(status, see); }

}  // namespace podium::explain
