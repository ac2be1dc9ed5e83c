#include "controller/what_if/admission_reader.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "api/decode.h"
#include "client/request_info.h"
#include "scheduler/config/names.h"

namespace podium::controller {
namespace {

using client::Task;

client::CallOptions of_a_read() {
  client::CallOptions options;
  options.deadline = std::chrono::seconds(5);
  return options;
}

Result<std::vector<api::LimitRange>> decode_all(const std::vector<boost::json::value>& items) {
  std::vector<api::LimitRange> out;
  for (const auto& item : items) {
    auto range = api::decode_limit_range(item);
    if (!range) return std::unexpected(range.error());
    out.push_back(std::move(*range));
  }
  std::ranges::sort(out, {}, [](const api::LimitRange& range) -> const auto& { return range.meta.name; });
  return out;
}

}  // namespace

Task<api::AdmissionObjects> AdmissionReader::read(std::shared_ptr<const explain::Question> question) {
  api::AdmissionObjects out;
  const auto& subject = *question->subject;
  if (!subject.is_stored) {
    co_await read_limit_ranges(subject.pod.meta.namespace_, &out);
    co_await read_runtime_class(subject.pod.runtime_class, &out);
  }
  co_await read_claim_templates(question, &out);
  co_return out;
}

Task<void> AdmissionReader::read_limit_ranges(std::string ns, api::AdmissionObjects* out) {
  std::vector<boost::json::value> items;
  bool are_all = true;
  client::ListOptions list;
  list.limit = kMostLimitRanges;
  const std::function<bool(std::vector<boost::json::value>)> take =
      [&](std::vector<boost::json::value> page) {
        are_all = items.empty();
        if (are_all) items = std::move(page);
        return are_all;
      };
  const auto listed = co_await api_.list_pages(client::resource::limit_ranges, ns, list, take, of_a_read());
  auto ranges = listed ? decode_all(items) : std::unexpected(listed.error());
  if (ranges && !are_all) ranges = invalid(fmt::format("more than {} in namespace {}", kMostLimitRanges, ns));
  if (ranges) {
    out->limit_ranges = std::move(*ranges);
  } else {
    log("LimitRange", ranges.error());
  }
}

Task<void> AdmissionReader::read_runtime_class(std::string name, api::AdmissionObjects* out) {
  api::AdmissionObjects::Runtime runtime;
  // The author chooses the name: it must not lead to another path.
  if (config::check_dns_subdomain(name).empty()) {
    const auto read = co_await api_.get(client::resource::runtime_classes, "", name, of_a_read());
    if (read) {
      auto found = api::decode_runtime_class(*read);
      if (!found) co_return log("RuntimeClass", found.error());
      runtime.found = std::move(*found);
    } else if (!client::object_is_gone(read.error())) {
      co_return log("RuntimeClass", read.error());
    }
  }
  out->runtime = std::move(runtime);
}

Task<void> AdmissionReader::read_claim_templates(std::shared_ptr<const explain::Question> question,
                                                 api::AdmissionObjects* out) {
  std::set<std::string> names;
  for (const auto& claim : question->subject->pod.resource_claims) {
    const bool is_name = claim.template_name && config::check_dns_subdomain(*claim.template_name).empty();
    if (is_name && names.size() < kMostClaimTemplates) names.insert(*claim.template_name);
  }
  for (const auto& name : names) {
    const auto& ns = question->subject->pod.meta.namespace_;
    const auto read = co_await api_.get(client::resource::resource_claim_templates, ns, name, of_a_read());
    if (!read) {
      if (!client::object_is_gone(read.error())) log("ResourceClaimTemplate", read.error());
      continue;
    }
    auto found = api::decode_resource_claim_template(*read);
    if (found) {
      out->claim_templates.emplace(name, std::move(*found));
    } else {
      log("ResourceClaimTemplate", found.error());
    }
  }
}

void AdmissionReader::log(const char* kind, const Error& error) {
  const auto fields = client::request_fields(error);
  if (!log_.allows(fmt::format("{} {}", kind, error.code), api_.clock().now())) return;
  spdlog::warn("what-ifs are answered without the cluster's objects kind={} {}error={:?}", kind, fields,
               error.message);
}

}  // namespace podium::controller
