// Route: the parts of a request's target. RouteSelector: the objects that a list or a watch selects.
// Both modelled API servers use them: that of a life, and ObjectServer of the unit tests.
//
// Threads: pure functions. Errors: nullopt for forms that the model does not know.
#pragma once

#include <boost/json/value.hpp>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace podium::simulate {

// Names an object.
struct Key {
  std::string plural, ns, name;
  auto operator<=>(const Key&) const = default;
  std::string text() const { return plural + " " + (ns.empty() ? "" : ns + "/") + name; }
};

Key key_of(std::string_view plural, const boost::json::value& object);

struct Route {
  std::string group, plural, ns, name, subresource;
  std::map<std::string, std::string> query;

  Key key() const { return {plural, ns, name}; }
  std::string parameter(const std::string& name_) const {
    const auto it = query.find(name_);
    return it == query.end() ? "" : it->second;
  }
};

std::optional<Route> parse_route(std::string_view target);

// Terms "a=b", "a==b", "a!=b", joined by commas; all of them hold.
class RouteSelector {
 public:
  static std::optional<RouteSelector> of(
      const Route& route);  // nullopt: a selector that the model does not know
  bool matches(const boost::json::value& object) const;

 private:
  struct Term {
    std::string pointer, value;
    bool equal = true;
  };
  std::vector<Term> terms_;
};

}  // namespace podium::simulate
