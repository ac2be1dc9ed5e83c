// lower_priority(): lowers the scheduling priority of the threads of a pool.
//
// What-ifs can fill a core for seconds. The kernel then prefers the threads that schedule pods, and those of
// etcd and the API server on the same machine. The pool still gets all idle CPU.
// Source: setpriority(2); Linux keeps a nice value for each thread. Threads: any. Errors: none; if the system
// refuses, the priority does not change.
#pragma once

#include <boost/asio/thread_pool.hpp>
#include <cstddef>

namespace podium::app::run {

inline constexpr int kNiceIncrement =
    10;  // added to the nice value: about a tenth of an ordinary thread's share

// Waits for all `threads` of the pool, which have to be idle.
void lower_priority(boost::asio::thread_pool& pool, std::size_t threads);

}  // namespace podium::app::run
