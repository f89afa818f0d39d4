// SPDX-License-Identifier: Apache-2.0
// Cycles a number for each stage of decoding, for whole pages too:
//
//   bench_kernels [--target NAME[,NAME...]] [options of Google Benchmark]
//
// --target names instruction sets, handed to the library as NUMPACT_TARGET; each runs in a process
// of its own, since the library chooses once.
#include <benchmark/benchmark.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "kernel_stages.hpp"

namespace {

constexpr const char* kVariable = "NUMPACT_TARGET";

// Takes --target NAMES or --target=NAMES out of the arguments.
std::string take_targets(std::vector<char*>& arguments) {
  constexpr std::string_view kOption = "--target";
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string_view word = arguments[i];
    const auto place = arguments.begin() + static_cast<std::ptrdiff_t>(i);
    if (word == kOption && i + 1 < arguments.size()) {
      std::string names = arguments[i + 1];
      arguments.erase(place, place + 2);
      return names;
    }
    if (word.starts_with(kOption) && word.substr(kOption.size()).starts_with("=")) {
      std::string names(word.substr(kOption.size() + 1));
      arguments.erase(place);
      return names;
    }
  }
  return "";
}

// Runs this program again under one target, and waits.
int run_under(const std::string& target, std::vector<char*> arguments) {
  arguments.push_back(nullptr);
  const ::pid_t child = ::fork();
  if (child == 0) {
    ::setenv(kVariable, target.c_str(), 1);
    ::execv("/proc/self/exe", arguments.data());
    std::perror("bench_kernels");
    ::_exit(127);
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) < 0) return 1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int run_here(std::vector<char*> arguments) {
  using namespace numpact::bench;
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;
  const char* target = std::getenv(kVariable);
  benchmark::AddCustomContext(kVariable, target == nullptr ? "(the best)" : target);
  benchmark::AddCustomContext("clock ticks per cycle", std::to_string(ticks_per_cycle()));
  register_latent_stages();
  register_delta_stages();
  register_mode_stages();
  register_number_stages();
  register_page_stages();
  register_latencies();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<char*> arguments(argv, argv + argc);
  std::string names = take_targets(arguments);
  if (names.empty()) return run_here(arguments);
  int code = 0;
  while (!names.empty() && code == 0) {
    const std::size_t comma = std::min(names.find(','), names.size());
    code = run_under(names.substr(0, comma), arguments);
    names.erase(0, comma + 1);
  }
  return code;
}
