// The files of a fuzzer: its corpus, and the words of its dictionary.
//
// A dictionary has AFL's form: a line "name=\"word\"" or "\"word\"" for each, with \\, \" and \xHH. A line
// that begins with # is not read.
// Threads: any. Errors: a file or folder that cannot be read is an Error; a dictionary may be missing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace podium::fuzz {

struct CorpusFile {
  std::string path, text;
};

// The files of a folder, by name; or this one file.
Result<std::vector<CorpusFile>> read_corpus(const std::string& path);
Result<std::vector<std::string>> read_words(const std::string& path);

}  // namespace podium::fuzz
