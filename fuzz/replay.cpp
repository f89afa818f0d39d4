// SPDX-License-Identifier: Apache-2.0
// replay TARGET PATH...: runs a fuzz target on stored inputs, the files in these folders.
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <unistd.h>

#include "common/target.hpp"

namespace numpact::fuzz {
namespace {

char current_input[1024];

// The process ends after that.
void name_input(int) {
  const char before[] = "\nthe input was ";
  if (::write(2, before, sizeof before - 1) < 0 ||
      ::write(2, current_input, std::strlen(current_input)) < 0 || ::write(2, "\n", 1) < 0) {
    return;
  }
}

Bytes read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto* const bytes = reinterpret_cast<const std::byte*>(text.data());
  return {bytes, bytes + text.size()};
}

std::vector<std::filesystem::path> inputs_in(const char* path) {
  if (!std::filesystem::is_directory(path)) return {path};
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    if (entry.is_regular_file()) found.push_back(entry.path());
  }
  return found;
}

int replay(std::span<char*> arguments) {
  const TargetFunction run = arguments.size() < 2 ? nullptr : Registration::find(arguments[1]);
  if (run == nullptr) {
    std::fputs("usage: replay TARGET PATH...\n", stderr);
    return 2;
  }
  std::signal(SIGABRT, name_input);
  std::size_t count = 0;
  for (const char* const path : arguments.subspan(2)) {
    for (const std::filesystem::path& input : inputs_in(path)) {
      std::snprintf(current_input, sizeof current_input, "%s", input.c_str());
      run(read_file(input));
      ++count;
    }
  }
  std::printf("%zu inputs\n", count);
  return count == 0 ? 1 : 0;
}

}  // namespace
}  // namespace numpact::fuzz

int main(int argc, char** argv) {
  return numpact::fuzz::replay({argv, static_cast<std::size_t>(argc)});
}
