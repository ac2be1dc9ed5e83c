#include "client/auth/exec_credential.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>

#include "base/backoff.h"
#include "base/child_process.h"
#include "base/clock.h"
#include "client/auth/exec_output.h"
#include "log/log.h"

extern "C" char** environ;

namespace podium::client {

namespace {

constexpr std::chrono::seconds kRunPause{10}, kExpiryMargin{30};
constexpr Backoff kFailurePauses{std::chrono::seconds(1), std::chrono::seconds(30)};

class ExecCredential final : public TokenSource {
 public:
  ExecCredential(ExecPlugin plugin, Clock& clock)
      : plugin_(std::move(plugin)), clock_(clock), cancel_fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~ExecCredential() override { ::close(cancel_fd_); }

  Result<std::string> current() override {
    if (auto kept = usable()) return kept->token;  // without waiting for a run in progress
    std::lock_guard running(run_mutex_);
    if (auto kept = usable()) return kept->token;
    if (failure_ && clock_.now() < next_try_) return std::unexpected(*failure_);
    auto output = run_child(child(), cancel_fd_);
    auto credential = output ? parse_exec_output(*output, plugin_.api_version)
                             : Result<ExecOutput>(std::unexpected(output.error()));
    if (!credential) return std::unexpected(failed(credential.error()));
    failure_.reset();
    failures_ = 0;
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
  std::optional<ExecOutput> usable() {
    std::lock_guard lock(mutex_);
    if (!credential_) return std::nullopt;
    bool expired = credential_->expires && clock_.wall() + kExpiryMargin >= *credential_->expires;
    bool fresh = clock_.now() - last_run_ < kRunPause;
    return fresh || !(expired || stale_) ? credential_ : std::nullopt;
  }

  Error failed(Error error) {
    error = explain(std::move(error));
    if (error.kind == Error::Kind::cancelled) return error;
    next_try_ = clock_.now() + kFailurePauses.after(++failures_);
    failure_ = error;
    return error;
  }

  ChildProcess child() const {
    ChildProcess out{.command = plugin_.command,
                     .arguments = plugin_.arguments,
                     .environment = {},
                     .input = {},
                     .deadline = plugin_.deadline,
                     .output_limit = plugin_.output_limit,
                     .slow = plugin_.slow,
                     .on_slow = {}};
    out.on_slow = [this] {
      log::warn("exec plugin is still running command={:?} after_s={:.1f} limit_s={:.1f}", plugin_.command,
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
    const bool is_missing = error.kind == Error::Kind::unavailable;
    if (is_missing && !plugin_.install_hint.empty()) error.message += "; " + plugin_.install_hint;
    if (is_missing) error.kind = Error::Kind::invalid;
    return error;
  }

  const ExecPlugin plugin_;
  Clock& clock_;
  const int cancel_fd_;
  std::mutex run_mutex_;  // serializes runs; locked before mutex_. Guards the next three members
  std::optional<Error> failure_;
  Steady next_try_{};
  unsigned failures_ = 0;  // in a row
  std::mutex mutex_;
  std::optional<ExecOutput> credential_;
  Steady last_run_{};
  bool stale_ = false;
};

}  // namespace

std::shared_ptr<TokenSource> exec_credential(ExecPlugin plugin, Clock& clock) {
  return std::make_shared<ExecCredential>(std::move(plugin), clock);
}

}  // namespace podium::client
