#include "scheduler/extender/http_extender.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "api/values/pod.h"
#include "base/input.h"
#include "client/auth/base64.h"
#include "client/auth/tls.h"
#include "client/auth/url.h"

namespace podium::extender {
namespace {

// Extenders score 0..10, plugins 0..100.
constexpr std::int64_t kScale = 10;

bool asks_for(const std::vector<api::Container>& containers, const std::vector<std::string>& resources) {
  const auto is_managed = [&](const auto& amount) {
    return std::ranges::find(resources, amount.first) != resources.end();
  };
  return std::ranges::any_of(containers, [&](const api::Container& container) {
    return std::ranges::any_of(container.requests, is_managed) ||
           std::ranges::any_of(container.limits, is_managed);
  });
}

std::string_view without_slashes(std::string_view url) {
  while (url.ends_with('/')) url.remove_suffix(1);
  return url;
}

}  // namespace

HttpExtender::HttpExtender(config::Extender config, std::shared_ptr<client::Transport> transport)
    : config_(std::move(config)), transport_(std::move(transport)) {}

bool HttpExtender::interested(const api::Pod& pod) const {
  const auto& resources = config_.managed_resources;
  return resources.empty() || asks_for(pod.containers, resources) || asks_for(pod.init_containers, resources);
}

std::string HttpExtender::body(const Text& pod, const Candidates& candidates) const {
  return config_.node_cache_capable ? args_with_names(*pod, candidates.names)
                                    : args_with_nodes(*pod, candidates.nodes);
}

std::string HttpExtender::url(const std::string& verb) const {
  return fmt::format("{}/{}", without_slashes(config_.url_prefix), verb);
}

Error HttpExtender::about(const std::string& verb, const Error& error) const {
  auto out = error;
  out.message = fmt::format("Post \"{}\": {}", url(verb), error.message);
  return out;
}

client::Task<Result<std::string>> HttpExtender::send(std::string verb, std::string body, bool retry) const {
  client::Request request;
  request.method = "POST";
  request.target = "/" + verb;
  request.body = std::move(body);
  request.timeout = config_.http_timeout;
  auto reply = co_await transport_->send(request);
  // The extender may have closed an idle connection while the request was written. Idempotent requests
  // are sent again.
  if (!reply && retry && reply.error().kind == Error::Kind::unavailable && reply.error().maybe_applied) {
    reply = co_await transport_->send(std::move(request));
  }
  if (!reply) co_return std::unexpected(about(verb, reply.error()));
  if (reply->status != 200) {
    co_return fail(Error::Kind::status,
                   fmt::format("failed {} with extender at URL {}, code {}", verb, url(verb), reply->status));
  }
  co_return Result<std::string>(std::move(reply->body));
}

client::Task<Result<framework::FilterOpinion>> HttpExtender::filter(Text pod, Candidates candidates) const {
  auto sent = body(pod, candidates);
  const auto text = co_await send(config_.filter_verb, std::move(sent), true);
  if (!text) co_return std::unexpected(text.error());
  auto reply = read_filter_reply(*text);
  if (!reply) co_return std::unexpected(about(config_.filter_verb, reply.error()));
  if (!reply->error.empty()) co_return fail(Error::Kind::status, reply->error);

  framework::FilterOpinion opinion;
  opinion.extender = name();
  if (config_.node_cache_capable && reply->node_names) {
    opinion.feasible = std::move(*reply->node_names);
  } else if (reply->nodes) {
    opinion.feasible = std::move(*reply->nodes);
  }
  const std::set<std::string_view> asked(candidates.names.begin(), candidates.names.end());
  for (const auto& node : opinion.feasible) {
    if (asked.contains(node)) continue;
    co_return fail(
        Error::Kind::internal,
        fmt::format("extender \"{}\" claims a filtered node \"{}\" which is not found in the input node list",
                    name(), readable(node)));
  }
  opinion.failed = std::move(reply->failed);
  opinion.unresolvable = std::move(reply->unresolvable);
  co_return Result<framework::FilterOpinion>(std::move(opinion));
}

client::Task<Result<framework::ScoreOpinion>> HttpExtender::prioritize(Text pod,
                                                                       Candidates candidates) const {
  auto sent = body(pod, candidates);
  const auto text = co_await send(config_.prioritize_verb, std::move(sent), true);
  if (!text) co_return std::unexpected(text.error());
  auto priorities = read_priorities(*text);
  if (!priorities) co_return std::unexpected(about(config_.prioritize_verb, priorities.error()));
  framework::ScoreOpinion opinion;
  opinion.extender = name();
  opinion.weight = config_.weight;
  opinion.scores = std::move(*priorities);
  for (auto& [node, score] : opinion.scores) {  // overflow wraps as in Go
    score = static_cast<std::int64_t>(static_cast<std::uint64_t>(score) * kScale);
  }
  co_return Result<framework::ScoreOpinion>(std::move(opinion));
}

client::Task<Result<std::vector<Victims>>> HttpExtender::preempt(Text pod,
                                                                 std::vector<Victims> victims) const {
  auto sent =
      config_.node_cache_capable ? args_with_victim_uids(*pod, victims) : args_with_victims(*pod, victims);
  const auto text = co_await send(config_.preempt_verb, std::move(sent), true);
  if (!text) co_return std::unexpected(text.error());
  auto reply = read_preemption_reply(*text);
  if (!reply) co_return std::unexpected(about(config_.preempt_verb, reply.error()));
  co_return Result<std::vector<Victims>>(std::move(*reply));
}

client::Task<Result<void>> HttpExtender::bind(api::PodPtr pod, std::string node) const {
  BindingArgs args{pod->meta.name, pod->meta.namespace_, pod->meta.uid, std::move(node)};
  auto sent = binding_args(args);
  const auto text = co_await send(config_.bind_verb, std::move(sent), false);
  if (!text) co_return std::unexpected(text.error());
  const auto error = read_binding_reply(*text);
  if (!error) co_return std::unexpected(about(config_.bind_verb, error.error()));
  if (!error->empty()) co_return fail(Error::Kind::status, *error);
  co_return Result<void>();
}

Result<client::ClientConfig> client_config(const config::Extender& config) {
  const auto wrong = [&](std::string_view why) {
    return invalid(fmt::format("extenders: {}: {}", config.url_prefix, why));
  };
  client::ClientConfig out;
  out.server = config.url_prefix;
  if (const auto url = client::parse_server_url(out.server); !url)
    return wrong("urlPrefix: " + url.error().message);
  const auto decode = [&](const std::string& text, std::string& into) {
    const auto bytes = client::base64_decode(text);
    if (bytes) into = *bytes;
    return bytes.has_value();
  };
  const auto& tls = config.tls;
  client::ClientCertificate pair;
  if (!decode(tls.ca_data, out.ca)) return wrong("tlsConfig.caData: is not base64");
  if (!decode(tls.cert_data, pair.certificate)) return wrong("tlsConfig.certData: is not base64");
  if (!decode(tls.key_data, pair.key)) return wrong("tlsConfig.keyData: is not base64");
  const bool has_ca = !tls.ca_file.empty() || !out.ca.empty();
  // Source: client-go transport.TLSConfigFor. Inline data comes before files.
  if (has_ca && tls.insecure)
    return wrong("specifying a root certificates file with the insecure flag is not allowed");
  out.insecure_skip_verify = tls.insecure || (config.enable_https && !has_ca);
  out.tls_server_name = tls.server_name;
  if (out.ca.empty()) out.ca_file = tls.ca_file;
  for (const auto& file : {tls.ca_file, tls.cert_file, tls.key_file}) {
    if (file.empty()) continue;
    if (const auto text = read_file(file); !text) return wrong("tlsConfig: " + text.error().message);
  }
  const bool has_certificate = !pair.certificate.empty() || !tls.cert_file.empty();
  const bool has_key = !pair.key.empty() || !tls.key_file.empty();
  if (has_certificate != has_key)
    return wrong("tlsConfig: a certificate needs its key, and a key its certificate");
  if (!pair.certificate.empty() != !pair.key.empty())
    return wrong("tlsConfig: give certificate and key both as data or both as files");
  if (!pair.certificate.empty()) {
    if (auto ok = client::check_pair(pair, "tlsConfig.certData", "tlsConfig.keyData"); !ok)
      return wrong(ok.error().message);
    out.certificate = std::move(pair);
  } else {
    out.certificate_file = tls.cert_file;
    out.key_file = tls.key_file;
  }
  if (!out.ca.empty()) {
    if (auto ok = client::check_ca(out.ca, "tlsConfig.caData"); !ok) return wrong(ok.error().message);
  }
  return out;
}

}  // namespace podium::extender
