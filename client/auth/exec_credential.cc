#include "client/auth/exec_credential.h"

#include <spdlog/spdlog.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <mutex>

#include "base/time.h"
#include "client/auth/child_process.h"
#include "client/auth/tls.h"
#include "client/auth/token.h"

extern "C" char** environ;

namespace podium::client {

namespace json = boost::json;

namespace {

constexpr std::chrono::seconds kRunPause{10}, kExpiryMargin{30};
constexpr std::chrono::seconds kFailurePause{1}, kFailurePauseMax{30};

struct Credential {
  std::string token;
  std::optional<ClientCertificate> certificate;
  std::optional<Wall> expires;
};

const std::string kNoText;

// The member's text; empty where it is absent.
Result<std::string> text_at(const json::object& object, const char* name) {
  const json::value* found = object.if_contains(name);
  if (found == nullptr || found->is_null()) return kNoText;
  if (!found->is_string()) return invalid(std::string("status.") + name + ": is not a string");
  return std::string(found->get_string());
}

// Errors name the place in the output; the output itself stays untold.
Result<Credential> parse_credential(const std::string& output, const std::string& api_version) {
  boost::system::error_code error;
  json::value parsed = json::parse(output, error);
  const json::object* top = error ? nullptr : parsed.if_object();
  if (top == nullptr) return invalid("its output is not a JSON object");
  const json::value* kind = top->if_contains("kind");
  const json::value* version = top->if_contains("apiVersion");
  if (!kind || *kind != json::value("ExecCredential")) return invalid("kind: is not ExecCredential");
  if (!version || *version != json::value(api_version)) return invalid("apiVersion: is not " + api_version);
  const json::value* status_value = top->if_contains("status");
  const json::object* status = status_value ? status_value->if_object() : nullptr;
  if (status == nullptr) return invalid("status: is missing");

  Credential out;
  std::string fields[4];
  const char* names[4] = {"token", "clientCertificateData", "clientKeyData", "expirationTimestamp"};
  for (int i = 0; i < 4; ++i) {
    auto text = text_at(*status, names[i]);
    if (!text) return std::unexpected(text.error());
    fields[i] = std::move(*text);
  }
  if (fields[0].empty() && fields[1].empty())
    return invalid("status: neither token nor clientCertificateData");
  if (fields[1].empty() != fields[2].empty())
    return invalid("status: clientCertificateData and clientKeyData go together");
  if (!fields[0].empty() && !is_token(fields[0])) return invalid("status.token: not a token");
  out.token = fields[0];
  if (!fields[1].empty()) {
    out.certificate = ClientCertificate{fields[1], fields[2]};
    auto checked = check_pair(*out.certificate, "status.clientCertificateData", "status.clientKeyData");
    if (!checked) return std::unexpected(checked.error());
  }
  if (!fields[3].empty()) {
    out.expires = parse_time(fields[3]);
    if (!out.expires) return invalid("status.expirationTimestamp: not an RFC 3339 time");
  }
  return out;
}

class ExecCredential final : public TokenSource {
 public:
  ExecCredential(ExecPlugin plugin, Clock& clock)
      : plugin_(std::move(plugin)), clock_(clock), cancel_fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~ExecCredential() override { ::close(cancel_fd_); }

  Result<std::string> current() override {
    std::lock_guard running(run_mutex_);
    if (auto kept = usable()) return kept->token;
    if (failure_ && clock_.now() < next_try_) return std::unexpected(*failure_);
    auto output = run_child(child(), cancel_fd_);
    auto credential = output ? parse_credential(*output, plugin_.api_version)
                             : Result<Credential>(std::unexpected(output.error()));
    if (!credential) return std::unexpected(failed(credential.error()));
    failure_.reset();
    failure_pause_ = kFailurePause;
    std::lock_guard lock(mutex_);
    credential_ = std::move(*credential);
    last_run_ = clock_.now();
    stale_ = false;
    return credential_->token;
  }

  void refresh() override {
    std::lock_guard lock(mutex_);
    stale_ = true;
  }

  bool ready() override { return usable().has_value(); }

  std::optional<ClientCertificate> certificate() override {
    std::lock_guard lock(mutex_);
    return credential_ ? credential_->certificate : std::nullopt;
  }

  void cancel() override {
    std::uint64_t one = 1;
    [[maybe_unused]] auto written = ::write(cancel_fd_, &one, sizeof one);
  }

 private:
  std::optional<Credential> usable() {
    std::lock_guard lock(mutex_);
    if (!credential_) return std::nullopt;
    bool expired = credential_->expires && clock_.wall() + kExpiryMargin >= *credential_->expires;
    bool fresh = clock_.now() - last_run_ < kRunPause;
    return fresh || !(expired || stale_) ? credential_ : std::nullopt;
  }

  Error failed(Error error) {
    error = explain(std::move(error));
    if (error.kind == Error::Kind::cancelled) return error;
    next_try_ = clock_.now() + failure_pause_;
    failure_pause_ = std::min(2 * failure_pause_, kFailurePauseMax);
    failure_ = error;
    return error;
  }

  ChildProcess child() const {
    ChildProcess out{plugin_.command,      plugin_.arguments, {}, plugin_.deadline,
                     plugin_.output_limit, plugin_.slow,      {}};
    out.on_slow = [this] {
      spdlog::warn("exec plugin is still running command={:?} after_s={:.1f} limit_s={:.1f}", plugin_.command,
                   in_seconds(plugin_.slow), in_seconds(plugin_.deadline));
    };
    std::string info = R"({"apiVersion":")" + plugin_.api_version + R"(","kind":"ExecCredential","spec":{)" +
                       (plugin_.cluster_info.empty() ? "" : "\"cluster\":" + plugin_.cluster_info + ",") +
                       "\"interactive\":false}}";
    auto environment = plugin_.environment;
    environment.emplace_back("KUBERNETES_EXEC_INFO", std::move(info));
    for (char** entry = environ; *entry; ++entry) {
      std::string_view text = *entry;
      bool replaced = std::any_of(environment.begin(), environment.end(), [&](const auto& added) {
        return text.starts_with(added.first) && text.substr(added.first.size()).starts_with('=');
      });
      if (!replaced) out.environment.emplace_back(text);
    }
    for (const auto& [name, value] : environment) out.environment.push_back(name + "=" + value);
    return out;
  }

  Error explain(Error error) const {
    error.message = "exec plugin " + plugin_.command + ": " + error.message;
    if (!plugin_.install_hint.empty() && error.message.find("can't be started") != std::string::npos)
      error.message += "; " + plugin_.install_hint;
    return error;
  }

  const ExecPlugin plugin_;
  Clock& clock_;
  const int cancel_fd_;
  std::mutex run_mutex_;  // one run at a time; taken before mutex_. Guards the next three
  std::optional<Error> failure_;
  Steady next_try_{};
  std::chrono::seconds failure_pause_ = kFailurePause;
  std::mutex mutex_;
  std::optional<Credential> credential_;
  Steady last_run_{};
  bool stale_ = false;
};

}  // namespace

std::shared_ptr<TokenSource> exec_credential(ExecPlugin plugin, Clock& clock) {
  return std::make_shared<ExecCredential>(std::move(plugin), clock);
}

}  // namespace podium::client
