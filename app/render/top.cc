#include "app/render/top.h"

#include <fmt/format.h>
#include <algorithm>

#include "app/render/text.h"
#include "app/render/words.h"

namespace podium::render {
namespace {

constexpr std::size_t kLeastDecisions = 3;
constexpr std::string_view kEndColour = "\033[0m";

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t start = 0; start < text.size();) {
    const auto end = std::min(text.find('\n', start), text.size());
    out.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return out;
}

std::string cut_line(const std::string& line, std::size_t columns) {
  std::string out;
  std::size_t taken = 0;
  bool coloured = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '\033') {
      const auto end = std::min(line.find('m', at), line.size() - 1);
      out += line.substr(at, end - at + 1);
      coloured = true;
      at = end;
      continue;
    }
    if ((static_cast<unsigned char>(line[at]) & 0xC0) != 0x80 && ++taken > columns) {
      return coloured ? out + std::string(kEndColour) : out;
    }
    out += line[at];
  }
  return out;
}

std::string where_or_why(const Report& report) {
  if (report.status.choice) {
    return report.status.choice->score ? fmt::format("{}, {}", report.status.choice->node,
                                                     counted(static_cast<std::size_t>(std::max<std::int64_t>(
                                                                 0, *report.status.choice->score)),
                                                             "point"))
                                       : report.status.choice->node;
  }
  if (const auto* rejection = main_rejection(report.status.rejections))
    return rejection_of(
        fmt::format("{} of {}", rejection->nodes, counted(report.status.node_counts.total, "node")),
        *rejection);
  return report.status.message.empty() ? "-" : report.status.message;
}

std::string decision_table(const std::vector<Report>& decisions, std::size_t most, const Options& options) {
  if (decisions.empty()) return fmt::format("No decisions yet{}.\n", options.where);
  std::vector<Cells> rows{decision_heading()};
  for (const auto& report : decisions) {
    if (rows.size() > most) break;
    rows.push_back(decision_cells(report, options));
  }
  return table(rows, {Align::right, Align::left}, 0);
}

}  // namespace

Cells decision_heading() { return {"AGO", "POD", "OUTCOME", "WHERE OR WHY"}; }

Cells decision_cells(const Report& report, const Options& options) {
  const auto& at = report.status.decided_at;
  return {at ? age(std::chrono::duration_cast<std::chrono::seconds>(options.now - *at)) : std::string("-"),
          report.ns + "/" + report.pod, report.status.outcome, where_or_why(report)};
}

std::string cut_to(const std::string& text, const Screen& screen) {
  auto lines = lines_of(text);
  if (screen.rows > 0 && lines.size() > screen.rows) lines.resize(screen.rows);
  std::string out;
  for (const auto& line : lines) out += (screen.columns ? cut_line(line, screen.columns) : line) + "\n";
  return out;
}

std::string top(const std::vector<WaitingGroup>& groups, std::vector<Report> decisions, const Screen& screen,
                const Options& options) {
  std::ranges::stable_sort(
      decisions, [](const Report& a, const Report& b) { return a.status.decided_at > b.status.decided_at; });
  auto waiting = lines_of(pending_table(groups, options));
  const auto wanted = std::min(decisions.size(), kLeastDecisions) + 3;  // also an empty line and the heading
  std::size_t room = decisions.size();
  if (screen.rows > 0) {
    const auto half = std::max(screen.rows / 2, screen.rows > wanted ? screen.rows - wanted : 0);
    if (waiting.size() > half) {
      const auto hidden = waiting.size() - half + 1;
      waiting.resize(half > 0 ? half - 1 : 0);
      waiting.push_back(fmt::format("… {} more lines: {} pending", hidden,
                                    options.program.empty() ? "podium" : options.program));
    }
    const auto used = waiting.size() + 2;
    room = screen.rows > used + 1 ? screen.rows - used : 1;
  }
  std::string out;
  for (const auto& line : waiting) out += line + "\n";
  out += "\n" + decision_table(decisions, room, options);
  return cut_to(out, screen);
}

}  // namespace podium::render
