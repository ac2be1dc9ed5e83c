#include "app/kubectl/shapes.h"

#include <fmt/format.h>

#include <boost/json/object.hpp>

#include "api/text/yaml.h"
#include "base/problems.h"
#include "explain/question/search_spec.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;

std::string at_line(const Finding& finding, const std::string& source, const api::Document& document) {
  return fmt::format("{}:{}: {}", source, api::line_of(document, finding.path), finding.text());
}

// The API server takes integers and strings as amounts, and no fractions.
void write_fractions_as_text(json::array& shapes) {
  for (auto& shape : shapes) {
    auto* amounts = shape.is_object() ? shape.get_object().if_contains("allocatable") : nullptr;
    if (!amounts || !amounts->is_object()) continue;
    for (auto& amount : amounts->get_object()) {
      if (amount.value().is_double()) amount.value() = fmt::to_string(amount.value().get_double());
    }
  }
}

}  // namespace

Result<json::array> shapes_of_file(std::string_view text, const std::string& source) {
  auto documents = api::parse_documents(text, source);
  if (!documents) return std::unexpected(documents.error());
  if (documents->size() != 1)
    return invalid(
        fmt::format("{}: has {} documents, and one with `shapes` is needed", source, documents->size()));
  auto& document = documents->front();
  if (document.value.is_array()) {
    return invalid(fmt::format("{}:{}: is a list; the list of shapes is the field `shapes` of a map", source,
                               document.line));
  }
  Problems findings;
  explain::ObjectReader reader(document.value, FieldPath::document("shapes"), findings);
  const auto shapes = explain::read_shapes(reader, findings);
  reader.unknown_fields();
  if (!findings && shapes.empty()) findings.add("shapes", "required");
  Problems problems;
  for (const auto& finding : findings.findings()) problems.add(at_line(finding, source, document));
  if (problems) return std::unexpected(problems.error());
  auto list = document.value.at("shapes").as_array();
  write_fractions_as_text(list);
  return list;
}

}  // namespace podium::kubectl
