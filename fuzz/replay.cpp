// SPDX-License-Identifier: Apache-2.0
// replay TARGET [--runs=N] [--seed=N] PATH...: runs a fuzz target on stored inputs, then on N
// random mutations of them, for machines without libFuzzer. A path is a file, a folder of files, or
// an archive of inputs (.bin, see fuzz/archive.py). If a mutation ends the process, it is written
// to the file `found`.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "common/draw.hpp"
#include "common/patch.hpp"
#include "common/target.hpp"

namespace numpact::fuzz {
namespace {

char current_name[1024];
Bytes current_input;

// The process ends after that.
void name_input(int signal) {
  const char before[] = "\nthe input was ";
  bool is_written = ::write(2, before, sizeof before - 1) > 0 &&
                    ::write(2, current_name, std::strlen(current_name)) > 0;
  if (current_name[0] == '\0') {
    const int file = ::open("found", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    is_written = ::write(file, current_input.data(), current_input.size()) > 0 &&
                 ::write(2, "written to `found`", 18) > 0;
  }
  if (is_written) (void)!::write(2, "\n", 1);
  std::signal(signal, SIG_DFL);
}

// By calls that MemorySanitizer knows: the library's own files and folders are not instrumented.
Bytes read_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY);
  Bytes bytes;
  std::byte block[4096];
  for (ssize_t n = 0; (n = ::read(file, block, sizeof block)) > 0;) {
    bytes.insert(bytes.end(), block, block + n);
  }
  ::close(file);
  return bytes;
}

std::vector<std::string> files_at(const char* path) {
  DIR* const folder = ::opendir(path);
  if (folder == nullptr) return {path};
  std::vector<std::string> found;
  while (const dirent* const entry = ::readdir(folder)) {
    std::string name = std::string(path) + "/" + entry->d_name;
    struct stat status;
    if (::stat(name.c_str(), &status) == 0 && S_ISREG(status.st_mode)) found.push_back(name);
  }
  ::closedir(folder);
  return found;
}

struct Input {
  std::string name;
  Bytes bytes;
};

std::vector<Input> unpack(const std::string& path) {
  std::vector<Input> found;
  const Bytes stored = read_file(path);
  ByteSpan rest = stored;
  while (!rest.empty()) {
    std::uint32_t size = 0;
    if (rest.size() >= sizeof size) std::memcpy(&size, rest.data(), sizeof size);
    if constexpr (std::endian::native == std::endian::big) size = __builtin_bswap32(size);
    if (rest.size() < sizeof size || rest.size() - sizeof size < size) {
      std::fprintf(stderr, "%s is cut off\n", path.c_str());
      std::exit(2);
    }
    found.push_back({path + ", input " + std::to_string(found.size()),
                     testing::to_bytes(rest.subspan(sizeof size, size))});
    rest = rest.subspan(sizeof size + size);
  }
  return found;
}

std::vector<Input> inputs_at(const std::string& argument) {
  if (argument.ends_with(".bin")) return unpack(argument);
  std::vector<Input> found;
  for (const std::string& path : files_at(argument.c_str())) {
    found.push_back({path, read_file(path)});
  }
  return found;
}

// Some of an input, some of another behind it, and a few bytes changed.
Bytes make_input(const std::vector<Bytes>& inputs, Sequence& random) {
  const auto some = [&] {
    const ByteSpan input = inputs[random.below(inputs.size())];
    if (random.below(2) == 0 || input.empty()) return input;
    const std::size_t first = random.below(input.size());
    return input.subspan(first, random.below(input.size() - first) + 1);
  };
  Bytes made = testing::to_bytes(some());
  if (random.below(3) == 0) {
    const ByteSpan more = some();
    made.insert(made.end(), more.begin(), more.end());
  }
  Bytes choices(8 * (1 + random.below(6)));
  for (std::byte& byte : choices) byte = static_cast<std::byte>(random.next() & 0xff);
  Draw draw(choices);
  while (!draw.is_empty() && !made.empty()) patch_once(draw, made);
  return made;
}

struct Options {
  std::uint64_t runs = 0;
  std::uint64_t seed = 1;
};

std::uint64_t number_behind(const char* argument, std::string_view name, std::uint64_t otherwise) {
  return std::string_view(argument).starts_with(name)
             ? std::strtoull(argument + name.size(), nullptr, 10)
             : otherwise;
}

void run_made(TargetFunction run, const std::vector<Bytes>& inputs, const Options& options) {
  current_name[0] = '\0';
  Sequence random(options.seed);
  for (std::uint64_t i = 0; i < options.runs; ++i) {
    current_input = make_input(inputs, random);
    run(current_input);
  }
}

int replay(std::span<char*> arguments) {
  const TargetFunction run = arguments.size() < 2 ? nullptr : Registration::find(arguments[1]);
  if (run == nullptr) {
    std::fputs("usage: replay TARGET [--runs=N] [--seed=N] PATH...\n", stderr);
    return 2;
  }
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE}) std::signal(signal, name_input);
  Options options;
  std::vector<Bytes> inputs;
  for (const char* const argument : arguments.subspan(2)) {
    options.runs = number_behind(argument, "--runs=", options.runs);
    options.seed = number_behind(argument, "--seed=", options.seed);
    if (argument[0] == '-') continue;
    for (Input& input : inputs_at(argument)) {
      std::snprintf(current_name, sizeof current_name, "%s", input.name.c_str());
      inputs.push_back(std::move(input.bytes));
      run(inputs.back());
    }
  }
  std::printf("%zu inputs\n", inputs.size());
  if (inputs.empty()) return 1;
  run_made(run, inputs, options);
  return 0;
}

}  // namespace
}  // namespace numpact::fuzz

int main(int argc, char** argv) {
  return numpact::fuzz::replay({argv, static_cast<std::size_t>(argc)});
}
