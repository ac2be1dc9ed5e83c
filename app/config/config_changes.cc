#include "app/config/config_changes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <map>
#include <string_view>
#include <utility>

#include "api/text/json_view.h"

namespace podium::app {
namespace {

namespace json = boost::json;

// The fields that name the entries of a configuration's lists.
constexpr std::string_view kKeys[] = {"schedulerName", "name", "urlPrefix"};

std::optional<std::string> value_text(const json::value* value) {
  if (!value || value->is_null()) return std::nullopt;
  return value->is_string() ? std::string(value->get_string()) : json::serialize(*value);
}

// Empty: the entry has no name.
std::string key_of(const json::value& entry) {
  for (const auto key : kKeys) {
    if (auto text = api::text_at(entry, fmt::format("/{}", key)); !text.empty()) return std::string(text);
  }
  return {};
}

// The entries of a list by their names; nullopt: one has no name, or two have the same.
struct NamedEntries {
  std::vector<std::string> names;
  std::map<std::string_view, std::size_t> index = {};
  bool contains(std::string_view name) const { return index.contains(name); }
};
std::optional<NamedEntries> named_entries(const json::array& list) {
  NamedEntries out;
  out.names.reserve(list.size());
  for (const auto& entry : list) {
    out.names.push_back(key_of(entry));
    const auto& name = out.names.back();
    if (name.empty() || !out.index.emplace(name, out.names.size() - 1).second) return std::nullopt;
  }
  return out;
}

class Comparing {
 public:
  void compare(const std::string& path, const json::value* a, const json::value* b) {
    if (a && b && *a == *b) return;
    if (a && b && a->is_object() && b->is_object()) {
      compare_objects(path, a->get_object(), b->get_object());
    } else if (a && b && a->is_array() && b->is_array() &&
               compare_lists(path, a->get_array(), b->get_array())) {
      return;
    } else if (auto before = value_text(a), after = value_text(b); before || after) {
      out_.push_back({path, std::move(before), std::move(after)});
    }
  }
  std::vector<ConfigChange> take() { return std::move(out_); }

 private:
  void compare_objects(const std::string& path, const json::object& a, const json::object& b) {
    const auto below = [&](std::string_view name) {
      return path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
    };
    for (const auto& [name, value] : a) compare(below(name), &value, b.if_contains(name));
    for (const auto& [name, value] : b) {
      if (!a.contains(name)) compare(below(name), nullptr, &value);
    }
  }

  // False: an entry has no name, so the lists are compared as a whole.
  bool compare_lists(const std::string& path, const json::array& a, const json::array& b) {
    const auto before = named_entries(a), after = named_entries(b);
    if (!before || !after) return false;
    std::vector<std::string_view> old_order, new_order;  // of the entries of both
    for (std::size_t i = 0; i < a.size(); ++i) {
      const auto& name = before->names[i];
      const auto found = after->index.find(name);
      if (found != after->index.end()) old_order.push_back(name);
      compare(fmt::format("{}[{}]", path, name), &a[i],
              found == after->index.end() ? nullptr : &b[found->second]);
    }
    for (std::size_t i = 0; i < b.size(); ++i) {
      const auto& name = after->names[i];
      if (before->contains(name))
        new_order.push_back(name);
      else
        compare(fmt::format("{}[{}]", path, name), nullptr, &b[i]);
    }
    if (old_order != new_order)
      out_.push_back({path + " (order)", fmt::format("{}", fmt::join(old_order, ", ")),
                      fmt::format("{}", fmt::join(new_order, ", "))});
    return true;
  }

  std::vector<ConfigChange> out_;
};

}  // namespace

std::vector<ConfigChange> config_changes(const json::value& old_view, const json::value& new_view) {
  Comparing comparing;
  comparing.compare("", &old_view, &new_view);
  return comparing.take();
}

}  // namespace podium::app
