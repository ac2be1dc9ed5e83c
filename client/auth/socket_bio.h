// An OpenSSL BIO over a non-blocking socket. Unlike OpenSSL's own it writes with MSG_NOSIGNAL: no SIGPIPE.
#pragma once

struct bio_st;

namespace podium::client {

bio_st* new_socket_bio(int fd);  // does not own fd

}  // namespace podium::client
