// The self-signed certificate.
#include "server/self_signed.h"

#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>

namespace podium::server {
namespace {

struct Free {
  void operator()(BIO* p) const { BIO_free_all(p); }
  void operator()(X509* p) const { X509_free(p); }
  void operator()(EVP_PKEY* p) const { EVP_PKEY_free(p); }
};
template <typename T>
using Owned = std::unique_ptr<T, Free>;

Owned<BIO> reader(const std::string& text) {
  return Owned<BIO>(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}
Owned<X509> certificate_of(const CertificatePair& pair) {
  return Owned<X509>(PEM_read_bio_X509(reader(pair.certificate).get(), nullptr, nullptr, nullptr));
}
Owned<EVP_PKEY> key_of(const CertificatePair& pair) {
  return Owned<EVP_PKEY>(PEM_read_bio_PrivateKey(reader(pair.key).get(), nullptr, nullptr, nullptr));
}

TEST(SelfSigned, IsSignedByItsOwnKey) {
  const auto pair = self_signed_certificate("node-7");
  ASSERT_TRUE(pair) << pair.error().message;
  const auto certificate = certificate_of(*pair);
  const auto key = key_of(*pair);
  ASSERT_TRUE(certificate && key);
  EXPECT_EQ(X509_check_private_key(certificate.get(), key.get()), 1);
  EXPECT_EQ(X509_verify(certificate.get(), key.get()), 1);
  EXPECT_EQ(X509_get_version(certificate.get()), X509_VERSION_3);
}

TEST(SelfSigned, IsForThisHostAndTheLoopback) {
  const auto pair = self_signed_certificate("node-7");
  ASSERT_TRUE(pair) << pair.error().message;
  const auto certificate = certificate_of(*pair);
  ASSERT_TRUE(certificate);
  const auto has_name = [&](const char* name) {
    return X509_check_host(certificate.get(), name, 0, 0, nullptr) == 1;
  };
  EXPECT_TRUE(has_name("localhost"));
  EXPECT_TRUE(has_name("node-7"));
  EXPECT_FALSE(has_name("node-8"));
  EXPECT_EQ(X509_check_ip_asc(certificate.get(), "127.0.0.1", 0), 1);
}

// Regression: about one random serial number in 300 was not valid DER.
TEST(SelfSigned, CanAlwaysBeRead) {
  for (int i = 0; i < 2000; ++i) {
    const auto pair = self_signed_certificate("node-7");
    ASSERT_TRUE(pair) << pair.error().message;
    ASSERT_TRUE(certificate_of(*pair)) << pair->certificate;
  }
}

TEST(SelfSigned, LastsAYear) {
  const auto pair = self_signed_certificate("node-7");
  ASSERT_TRUE(pair) << pair.error().message;
  const auto certificate = certificate_of(*pair);
  ASSERT_TRUE(certificate);
  int days = 0, seconds = 0;
  ASSERT_EQ(ASN1_TIME_diff(&days, &seconds, X509_get0_notBefore(certificate.get()),
                           X509_get0_notAfter(certificate.get())),
            1);
  EXPECT_EQ(days, 365);
}

TEST(SelfSigned, NoTwoAreTheSame) {
  const auto one = self_signed_certificate("node-7"), another = self_signed_certificate("node-7");
  ASSERT_TRUE(one && another);
  EXPECT_NE(one->key, another->key);
  EXPECT_NE(ASN1_INTEGER_cmp(X509_get0_serialNumber(certificate_of(*one).get()),
                             X509_get0_serialNumber(certificate_of(*another).get())),
            0);
}

TEST(SelfSigned, TakesLongHostNames) {
  const auto pair =
      self_signed_certificate(std::string(63, 'h') + "." + std::string(63, 'd') + ".example.com");
  ASSERT_TRUE(pair) << pair.error().message;
  EXPECT_TRUE(certificate_of(*pair));
}

}  // namespace
}  // namespace podium::server
