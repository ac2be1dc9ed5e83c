#include "server/client_ca_source.h"

#include <boost/json/object.hpp>

#include "async/nap.h"
#include "base/check.h"
#include "base/input.h"
#include "log/log.h"

namespace podium::server {

using async::Task;

namespace {

constexpr std::chrono::seconds kRefresh{60}, kRetry{10};
constexpr std::chrono::milliseconds kReadDeadline{10'000};
constexpr auto kNamespace = "kube-system", kConfigMap = "extension-apiserver-authentication",
               kKey = "client-ca-file";

}  // namespace

FileClientCa::FileClientCa(std::string path)
    : path_(std::move(path)),
      reload_({path_}, [this] { return read(); }, [this](Read read) { take(std::move(read)); }) {}

FileClientCa::Read FileClientCa::read() const {
  const auto text = read_file(path_);
  if (!text) return std::unexpected(text.error());
  return ClientCa::parse(*text, path_);
}

Result<void> FileClientCa::load() {
  auto first = read();
  if (!first) return std::unexpected(first.error());
  ca_ = std::move(*first);
  return {};
}

void FileClientCa::watch(async::Gate& gate, boost::asio::any_io_executor executor,
                         boost::asio::any_io_executor files) {
  PODIUM_CHECK(ca_ != nullptr, path_);
  async::spawn(gate, std::move(executor), "client CA's file", reload_.run(&reload_, std::move(files)));
}

void FileClientCa::take(Read read) {
  if (read) {
    ca_ = std::move(*read);
    log::info("client CA reloaded file={}", path_);
  } else {
    log::warn("client CA not reloaded, keeping the old one reason={:?}", read.error().text());
  }
}

ClusterClientCa::ClusterClientCa(async::Gate& gate, boost::asio::any_io_executor executor, client::Api& api)
    : gate_(gate), executor_(std::move(executor)), api_(api) {}

void ClusterClientCa::start(First first) {
  async::spawn(gate_, executor_, "client CA", run(this, std::move(first)));
}

Task<Result<void>> ClusterClientCa::look_up(ClusterClientCa* self) {
  const client::Resource configmaps("", "v1", "configmaps");
  client::CallOptions options;
  options.deadline = kReadDeadline;
  const auto map = co_await self->api_.get(configmaps, kNamespace, kConfigMap, options);
  if (!map) co_return std::unexpected(map.error());
  const auto* data = map->is_object() ? map->get_object().if_contains("data") : nullptr;
  const auto* pem = data && data->is_object() ? data->get_object().if_contains(kKey) : nullptr;
  if (!pem || !pem->is_string()) {  // kube-apiserver has no client CA
    self->ca_ = nullptr;
    self->pem_.clear();
    co_return Result<void>();
  }
  std::string text(pem->get_string());
  if (text == self->pem_) co_return Result<void>();
  auto ca = ClientCa::parse(text, std::string("configmap ") + kNamespace + "/" + kConfigMap);
  if (!ca) co_return std::unexpected(ca.error());
  self->ca_ = std::move(*ca);
  self->pem_ = std::move(text);
  co_return Result<void>();
}

Task<void> ClusterClientCa::run(ClusterClientCa* self, First first) {
  for (bool failed = false;;) {
    const auto found = co_await look_up(self);
    if (first) first(found);
    first = nullptr;
    if (!found && !failed) {
      log::warn(
          "client CA not found in the cluster, client certificates are verified with the last "
          "known one verb={} resource={} error={:?}",
          found.error().request.verb, found.error().request.resource, found.error().text());
    }
    failed = !found;
    const std::chrono::seconds pause = failed ? kRetry : kRefresh;
    co_await async::nap(pause);
  }
}

}  // namespace podium::server
