// Asio's TLS streams, compiled once (BOOST_ASIO_SEPARATE_COMPILATION); the client has TLS of its own on
// OpenSSL.
#include <boost/asio/ssl/impl/src.hpp>
