// `podium reasons`: the table of the reasons, without a cluster.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <memory>

#include "app/kubectl/command_output.h"
#include "app/kubectl/verbs.h"
#include "app/render/text.h"
#include "base/ascii.h"
#include "base/similar.h"
#include "explain/report/reason_words.h"
#include "explain/report/report_labels.h"
#include "scheduler/framework/reason.h"

namespace podium::kubectl {
namespace {

namespace json = boost::json;
using framework::ReasonRow;
using ReasonRows = std::vector<const ReasonRow*>;

// Codes in any case; none: all.
Result<ReasonRows> rows_of(const std::vector<std::string>& codes) {
  ReasonRows out;
  std::vector<std::string> names, unknown;
  for (const auto& row : framework::reason_rows()) {
    names.emplace_back(row.name);
    if (codes.empty()) out.push_back(&row);
  }
  for (const auto& code : codes) {
    const auto is_it = [&](const ReasonRow& row) { return equal_fold(row.name, code); };
    const auto found = std::ranges::find_if(framework::reason_rows(), is_it);
    if (found != framework::reason_rows().end()) {
      out.push_back(&*found);
      continue;
    }
    const auto near = suggestion(similar(code, names));
    unknown.push_back(
        fmt::format("{} is not the code of a reason{}{}", code, near.empty() ? "" : ". ", near));
  }
  if (!unknown.empty()) return std::unexpected(Error{.message = join_lines(unknown)});
  return out;
}

std::string plugin_words(const ReasonRow& row) {
  const auto plugins = framework::plugins_of(row);
  return plugins.empty() ? "any" : fmt::format("{}", fmt::join(plugins, ", "));
}

std::string text_words(const ReasonRow& row, std::string_view without) {
  return std::string(row.text.empty() ? without : row.text);
}

// A reason without words has only a text.
std::string plain_words(const ReasonRow& row) {
  return std::string(row.words.empty() ? "only the text of another plugin, an extender or a failure"
                                       : row.words);
}

std::string reasons_table(const ReasonRows& rows, const render::Options& options) {
  std::vector<render::Cells> cells{{"CODE", "WORDS", "KUBE-SCHEDULER'S TEXT", "PLUGIN"}};
  for (const auto* row : rows)
    cells.push_back({std::string(row->name), plain_words(*row), text_words(*row, "-"), plugin_words(*row)});
  return render::table(cells, {render::Align::left}, 0, {options.columns, {{3, 18}, {2, 24}, {1, 24}}});
}

std::string reason_in_full(const ReasonRow& row, const render::Options& options) {
  const auto words = plain_words(row), of_several = explain::plural_of(words);
  std::vector<render::Cells> lines;
  lines.push_back({row.is_of_pod       ? "of the pod, on any node"
                   : row.words.empty() ? "words"
                                       : "of a node",
                   words});
  if (of_several != words) lines.push_back({"of several nodes", of_several});
  lines.push_back({"kube-scheduler's text", text_words(row, "differs from case to case")});
  lines.push_back({"plugin", plugin_words(row)});
  return fmt::format("{}\n{}", options.style.bold(row.name), render::table(lines, {render::Align::left}));
}

std::string reasons_words(const ReasonRows& rows, bool are_named, const render::Options& options) {
  std::string out;
  if (!are_named) out = reasons_table(rows, options);
  for (const auto* row : are_named ? rows : ReasonRows()) out += reason_in_full(*row, options);
  const auto has_names = [](const ReasonRow* row) {
    return row->text.contains('{') || row->words.contains('{');
  };
  if (std::ranges::any_of(rows, has_names))
    out += "A report has the names for the braces in \"about\", next to the code.\n";
  return out;
}

json::object reasons_document(const ReasonRows& rows) {
  json::array items;
  for (const auto* row : rows) {
    json::object item{{"code", row->name}, {"ofPod", row->is_of_pod}};
    json::array plugins;
    for (const auto plugin : framework::plugins_of(*row)) plugins.emplace_back(plugin);
    if (!plugins.empty()) item["plugins"] = std::move(plugins);
    if (!row->text.empty()) item["reason"] = row->text;
    if (!row->words.empty()) item["words"] = row->words;
    items.push_back(std::move(item));
  }
  return {{"apiVersion", explain::kReportVersion}, {"kind", "Reasons"}, {"items", std::move(items)}};
}

int run_reasons(const CLI::App& command, const Shared& shared, const std::vector<std::string>& codes) {
  if (const auto problems = problems_of(shared)) return fail_with(command, problems.error());
  const auto rows = rows_of(codes);
  if (!rows) return fail_with(command, rows.error());
  std::vector<std::string> names;
  for (const auto* row : *rows) names.emplace_back(row->name);
  const auto& output = shared.output;
  return print(answered(command, output, reasons_document(*rows), names, [&] {
    return reasons_words(*rows, !codes.empty(), render_options(output, program_of(command)));
  }));
}

}  // namespace

std::function<int()> declare_reasons(CLI::App& command, const std::shared_ptr<Shared>& shared) {
  const auto codes = std::make_shared<std::vector<std::string>>();
  command.add_option("CODE", *codes, "codes of reasons, as in a report; each is shown in full");
  return [&command, shared, codes] { return run_reasons(command, *shared, *codes); };
}

}  // namespace podium::kubectl
