// What needs a successful load() before.
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>

#include "async/gate.h"
#include "server/client_ca_source.h"
#include "server/serving_certificate.h"

namespace podium::server {
namespace {

TEST(ServingCertificateDeathTest, HasNoContextBeforeItIsLoaded) {
  const ServingCertificate certificate({.certificate_file = "tls.crt", .key_file = "tls.key"});
  EXPECT_DEATH((void)certificate.current(), "check failed at .*current_ != nullptr.*tls.crt");
}

TEST(ServingCertificateDeathTest, IsNotWatchedBeforeItIsLoaded) {
  boost::asio::io_context io;
  async::Gate gate;
  ServingCertificate certificate({.certificate_file = "tls.crt", .key_file = "tls.key"});
  EXPECT_DEATH(certificate.watch(gate, io.get_executor(), io.get_executor()),
               "check failed at .*current_ != nullptr.*tls.crt");
}

TEST(FileClientCaDeathTest, IsNotWatchedBeforeItIsLoaded) {
  boost::asio::io_context io;
  async::Gate gate;
  FileClientCa ca("ca.crt");
  EXPECT_DEATH(ca.watch(gate, io.get_executor(), io.get_executor()),
               "check failed at .*ca_ != nullptr.*ca.crt");
}

}  // namespace
}  // namespace podium::server
