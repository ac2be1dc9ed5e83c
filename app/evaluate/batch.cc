#include "app/evaluate/batch.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <syncstream>
#include <thread>
#include <vector>

#include "api/text/yaml.h"
#include "app/evaluate/manifest_decisions.h"
#include "app/render/text.h"

namespace podium::evaluate {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> scenarios_below(const std::string& directory) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    if (fs::exists(it->path() / "cluster.yaml", error)) found.push_back(it->path());
  }
  std::ranges::sort(found);
  return found;
}

Result<void> write_document(const fs::path& file, const boost::json::value& document) {
  std::ofstream out(file);
  out << api::to_json(document);
  out.close();
  if (!out) return fail(Error::Kind::internal, "cannot write " + file.string());
  return {};
}

Result<void> evaluate_scenario(const fs::path& scenario, Inputs inputs, bool place) {
  inputs.cluster = {scenario / "cluster.yaml"};
  inputs.pods = {scenario / "pods.yaml"};
  inputs.as_given = true;
  std::error_code error;
  if (fs::exists(scenario / "config.yaml", error)) inputs.config = scenario / "config.yaml";
  if (place) {
    const auto placements = place_files(inputs);
    if (!placements) return std::unexpected(placements.error());
    return write_document(scenario / "placed.json", to_document(placements->pods));
  }
  const auto evaluation = evaluate_files(inputs);
  if (!evaluation) return std::unexpected(evaluation.error());
  return write_document(scenario / "actual.json", to_document(evaluation->results, evaluation->snapshot));
}

}  // namespace

int run_batch(const std::string& directory, const Inputs& settings, bool place) {
  const auto scenarios = scenarios_below(directory);
  if (scenarios.empty()) {
    std::cerr << "podium evaluate: " << directory
              << ": no scenario directories (with a cluster.yaml) found\n";
    return 2;
  }
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> failed = false;
  const auto work = [&] {
    for (std::size_t i; (i = next++) < scenarios.size();) {
      if (const auto done = evaluate_scenario(scenarios[i], settings, place); !done) {
        std::osyncstream(std::cerr) << scenarios[i].string() << ": "
                                    << render::printable_lines(done.error().message) << '\n';
        failed = true;
      }
    }
  };
  {
    std::vector<std::jthread> workers;
    for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i)
      workers.emplace_back(work);
  }
  return failed ? 1 : 0;
}

}  // namespace podium::evaluate
