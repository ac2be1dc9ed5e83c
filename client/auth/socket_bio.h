// An OpenSSL BIO over a non-blocking socket that raises no SIGPIPE, which OpenSSL's own does.
#pragma once

struct bio_st;

namespace podium::client {

bio_st* new_socket_bio(int fd);  // does not own fd

}  // namespace podium::client
