#include "app/render/report.h"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cctype>

#include "app/render/text.h"
#include "base/ascii.h"
#include "explain/report/json.h"
#include "explain/report/visits.h"

namespace podium::render {
namespace {

namespace json = boost::json;

// A plain scalar in YAML: it needs no quotes.
bool is_plain(std::string_view text) {
  static constexpr std::array kWords = {"true", "false", "null", "yes", "no", "on", "off", "y", "n", "~"};
  const auto is_word = [&](std::string_view word) { return equal_fold(text, word); };
  if (text.empty() || std::ranges::any_of(kWords, is_word)) return false;
  const bool starts = std::isalpha(static_cast<unsigned char>(text.front())) || text.front() == '/';
  return starts && std::ranges::all_of(text, [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) || std::string_view("-_./").contains(c);
         });
}

}  // namespace

Report read_report(const json::value& object) {
  auto report = explain::read_report(object);
  make_printable(report);
  return report;
}

void make_printable(Report& report) {
  for (auto* text : {&report.ns, &report.name, &report.pod, &report.pod_uid}) *text = printable(*text);
  explain::each_text(report.status, [](explain::Meaning, std::string& text) { text = printable(text); });
}

const explain::ReportAnswer& answer_of(const Report& report) {
  static const explain::ReportAnswer kOne;
  return report.status.answer ? *report.status.answer : kOne;
}

std::string flow(const json::value& value) {
  if (const auto* object = value.if_object()) {
    std::string out;
    for (const auto& [key, field] : *object) {
      out += (out.empty() ? "" : ", ") + flow(json::value(key)) + ": " + flow(field);
    }
    return "{" + out + "}";
  }
  if (const auto* list = value.if_array()) {
    std::string out;
    for (const auto& item : *list) out += (out.empty() ? "" : ", ") + flow(item);
    return "[" + out + "]";
  }
  const auto* text = value.if_string();
  return text && is_plain(*text) ? std::string(*text) : printable(json::serialize(value));
}

}  // namespace podium::render
