#include "app/kubectl/file_question.h"

#include <fmt/format.h>

#include <boost/json/object.hpp>
#include <utility>

#include "api/text/json_view.h"
#include "app/kubectl/file_places.h"

namespace podium::kubectl {

namespace json = boost::json;
namespace {

std::string own_name(const FileObject& object) {
  auto name = api::text_at(object.value, "/metadata/name");
  return name.empty() ? api::text_at(object.value, "/metadata/generateName") : name;
}

}  // namespace

Result<void> check_question(const FileObject& object, const QuestionFlags& flags, bool counts) {
  const auto fault = [&](std::string_view why) {
    return invalid(fmt::format("{}: SchedulingReport {}: {}", object.place(""), own_name(object), why));
  };
  if (counts) return fault("is a question; ask it with whatif");
  const auto of_flags = question_spec(flags);
  if (of_flags && of_flags->size() > 1)
    return fault(
        "is a question; --replicas, --weights, --drain, --add-nodes, --profile and --fixes cannot be "
        "combined with it; change its spec");
  return {};
}

Result<json::value> ask_question(Cluster& cluster, const FileObject& object, const std::string& ns,
                                 bool keep) {
  auto spec = api::find_at(object.value, "/spec")->as_object();
  // One that does not stay is answered once, and has the lifetime of the other questions.
  if (!keep) {
    for (const char* field : {"ttlSeconds", "refreshSeconds"}) spec.erase(field);
  }
  auto asked = cluster.ask(ns, std::move(spec), keep);
  if (asked) return with_places(std::move(*asked), {.question = &object});
  auto error = std::move(asked.error());
  error.message = with_places(error, object);
  return std::unexpected(std::move(error));
}

std::string subject_of_question(const FileObject& object) {
  for (const char* path : {"/spec/podRef/name", "/spec/workloadRef/name", "/spec/template/metadata/name"}) {
    if (auto name = api::text_at(object.value, path); !name.empty()) return name;
  }
  return own_name(object);
}

}  // namespace podium::kubectl
