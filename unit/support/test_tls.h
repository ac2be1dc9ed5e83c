// Certificates for tests: a CA and the certificates that it signs, generated at run time.
//
// Threads: values; a TestCa may be shared while const. Errors: aborts if an OpenSSL call fails.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace podium::unit {

struct PemPair {
  std::string certificate, key;
};

struct CertificateOptions {
  std::string common_name = "podium-test";
  std::vector<std::string> organizations;          // groups, for a client certificate
  std::vector<std::string> names = {"localhost"};  // DNS subject alternative names
  std::vector<std::string> addresses = {"127.0.0.1"};
  std::chrono::seconds valid_from{-3600}, valid_to{3600};  // from now
};

class TestCa {
 public:
  explicit TestCa(std::string common_name = "podium test CA",
                  std::chrono::seconds valid_to = std::chrono::hours(24));  // from now
  ~TestCa();
  TestCa(const TestCa&) = delete;

  const std::string& certificate() const { return certificate_; }  // PEM
  PemPair issue(CertificateOptions options = {}) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  std::string certificate_;
};

}  // namespace podium::unit
