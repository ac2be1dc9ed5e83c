// Kubeconfig files, and what their exec plugins print.
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "client/auth/client_config.h"
#include "client/auth/exec_output.h"
#include "client/auth/token.h"
#include "client/auth/url.h"
#include "fuzz/driver/require.h"
#include "fuzz/fuzzers.h"
#include "fuzz/output_checks.h"

namespace podium::fuzz {
namespace {

constexpr const char* kExecVersion = "client.authentication.k8s.io/v1";

// A file that exists in memory only.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view text) : fd_(::memfd_create("kubeconfig", MFD_CLOEXEC)) {
    require(fd_ >= 0 && ::write(fd_, text.data(), text.size()) == static_cast<ssize_t>(text.size()),
            "a file in memory can be written");
  }
  ~MemoryFile() { ::close(fd_); }
  MemoryFile(const MemoryFile&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  const int fd_;
};

void check_config(const std::string& path, const client::ClientConfig& config) {
  const auto url = client::parse_server_url(config.server);
  require(url && !url->host.empty() && !url->port.empty(), "a configuration has a server", config.server);
  require(url->authority().find_first_of(" \r\n") == std::string::npos, "a Host header is one word",
          url->authority());
  require(!config.default_namespace.empty(), "a configuration has a namespace");
  require(config.certificate_file.empty() == config.key_file.empty(), "a certificate has its key");
  require(config.ca.empty() || !config.insecure_skip_verify, "a CA is used");
  // The same file gives the same configuration.
  auto again = client::load_kubeconfig(path);
  if (again && planted() && config.default_namespace.size() > 20 && config.tls_server_name.size() > 8)
    again->server += "x";
  require(again && again->server == config.server && again->default_namespace == config.default_namespace &&
              (again->token == nullptr) == (config.token == nullptr),
          "a file is read the same again");
}

void check_exec_output(const std::string& text) {
  const auto read = client::parse_exec_output(text, kExecVersion);
  if (!read) {
    require(read.error().kind == Error::Kind::invalid && is_harmless(read.error().message) &&
                read.error().message.size() < 500,
            "an error names the field and not its value", read.error().message);
    return;
  }
  require(!read->token.empty() || read->certificate, "a plugin gives a credential");
  require(read->token.empty() || client::is_token(read->token), "a token is one word");
}

}  // namespace

void kubeconfig(std::string_view input) {
  check_exec_output(std::string(input));
  const MemoryFile file(input);
  const auto loaded = client::load_kubeconfig(file.path());
  if (loaded) return check_config(file.path(), *loaded);
  require(loaded.error().kind == Error::Kind::invalid && loaded.error().message.starts_with(file.path()),
          "an error names the file", loaded.error().message);
  require(is_utf8(loaded.error().message), "an error is UTF-8", loaded.error().message);
}

}  // namespace podium::fuzz
