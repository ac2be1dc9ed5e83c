// The descriptors 0, 1 and 2. Threads: call before others start. Errors: ends the process.
#pragma once

namespace podium {

// Opens /dev/null as each of them that the parent closed. Otherwise the next file or socket would get its
// number, and what goes to standard output or error would be written there. Go's runtime does the same.
void open_standard_streams();

}  // namespace podium
