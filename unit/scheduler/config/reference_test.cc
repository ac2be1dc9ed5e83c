// docs/configuration.md: its tables are made from the schemas, the notes name every field and no other, and
// the limits that it states are those of the validation.
#include "scheduler/config/field_notes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "scheduler/config/podium/podium_config.h"
#include "scheduler/config/schema/kube_schema.h"
#include "unit/scheduler/config/configuration_tables.h"
#include "unit/scheduler/config/finding.h"

namespace podium::config {
namespace {

constexpr auto kPage = "docs/configuration.md";
constexpr std::string_view kBegin = "<!-- generated from scheduler/config by its unit test -->\n";
constexpr std::string_view kEnd = "<!-- end -->\n";

std::string page_text() {
  std::ostringstream text;
  text << std::ifstream(kPage).rdbuf();
  return text.str();
}

TEST(Reference, ThePagesTablesAreMadeOfTheSchemas) {
  const auto tables = fmt::format("\n{}\n", configuration_tables());
  auto text = page_text();
  const auto begin = text.find(kBegin), end = text.find(kEnd);
  ASSERT_TRUE(begin != std::string::npos && end != std::string::npos && begin < end) << kPage;
  const auto from = begin + kBegin.size();
  if (std::getenv("PODIUM_WRITE_DOCS")) {
    text.replace(from, end - from, tables);
    std::ofstream(kPage) << text;
    return;
  }
  EXPECT_EQ(text.substr(from, end - from), tables) << "PODIUM_WRITE_DOCS=1 writes it";
}

TEST(Reference, EveryFieldHasANote) {
  const auto tables = configuration_tables();
  std::istringstream lines(tables);
  std::size_t rows = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| `")) continue;
    ++rows;
    EXPECT_FALSE(line.ends_with("|  |")) << "no note: " << line;
  }
  // As many as there are notes: none is of a field that does not exist.
  EXPECT_EQ(rows, podium_notes().size() + kube_notes().size() + args_notes().size());
}

// A document in which the field has this value.
std::string podium_document(std::string_view path, std::string_view value) {
  const auto dot = path.find('.');
  const auto field = dot == path.npos
                         ? fmt::format("{}: {}", path, value)
                         : fmt::format("{}: {{{}: {}}}", path.substr(0, dot), path.substr(dot + 1), value);
  return fmt::format("apiVersion: {}\nkind: {}\n{}\n", kPodiumApiVersion, kPodiumKind, field);
}

std::string kube_document(std::string_view path, std::string_view value) {
  const auto dot = path.find('.');
  const auto field = dot == path.npos
                         ? fmt::format("{}: {}", path, value)
                         : fmt::format("{}: {{{}: {}}}", path.substr(0, dot), path.substr(dot + 1), value);
  // The longest wait has to be at least the first.
  const auto more = path == "podInitialBackoffSeconds" ? "podMaxBackoffSeconds: 1000\n" : "";
  return fmt::format("{}{}\n{}", kHead, field, more);
}

std::string args_document(std::string_view path, std::string_view value) {
  const auto dot = path.find('.');
  return fmt::format("{}profiles:\n- pluginConfig:\n  - name: {}\n    args: {{{}: {}}}\n", kHead,
                     path.substr(0, dot), path.substr(dot + 1), value);
}

TEST(Reference, LimitsAreThoseOfTheValidation) {
  using Document = std::string (*)(std::string_view, std::string_view);
  const std::pair<std::span<const FieldNote>, Document> all[] = {
      {podium_notes(), podium_document}, {kube_notes(), kube_document}, {args_notes(), args_document}};
  std::size_t checked = 0;
  for (const auto& [notes, document] : all) {
    for (const auto& note : notes) {
      SCOPED_TRACE(note.path);
      const auto last = note.path.substr(note.path.rfind('.') + 1);
      for (const auto value : {note.limits.low, note.limits.high}) {
        if (value.empty()) continue;
        EXPECT_EQ(config::finding(document(note.path, value)), "valid") << value;
      }
      for (const auto value : {note.limits.below, note.limits.above}) {
        if (value.empty()) continue;
        ++checked;
        EXPECT_NE(config::finding(document(note.path, value)).find(fmt::format("{}: Invalid value", last)),
                  std::string::npos)
            << value << ": " << config::finding(document(note.path, value));
      }
    }
  }
  EXPECT_GT(checked, 20u);
}

}  // namespace
}  // namespace podium::config
