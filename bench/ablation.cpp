// SPDX-License-Identifier: Apache-2.0
// Compresses columns with one constant of the encoder changed at a time, for ablation.py:
//
//   ablation COLUMNS LEVEL DECODE_SPEED JOBS < settings
//
// A setting is a line `NAME FACTOR`; `- 1` changes nothing. Each runs in a process of its own, so
// that one that breaks an assumption ends alone. Prints a JSON object for each: the bytes of each
// column, and the edges of the control flow that were counted, by a build for profiles by clang.
// They stand for instructions where a machine does not count those, and do not vary. After all, the
// list of constants with their values.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/tuned.hpp"
#include "numpact/numpact.hpp"
#include "pco/levels.hpp"

// Of clang's runtime for profiles: the counters of all edges.
extern "C" std::uint64_t* __llvm_profile_begin_counters(void);  // NOLINT
extern "C" std::uint64_t* __llvm_profile_end_counters(void);    // NOLINT

namespace {

using numpact::internal::TunedConstant;

// A setting that takes this many times as long as none, and some seconds, has lost its way.
constexpr double kMaxTimeRatio = 8;
constexpr double kMaxMoreSeconds = 4;

struct Column {
  numpact::NumberType type;
  std::vector<std::byte> numbers;
  std::size_t count = 0;
};

// For each column: type and count as 64-bit integers, then the numbers.
std::vector<Column> read_columns(const char* path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<Column> columns;
  std::uint64_t head[2];
  while (file.read(reinterpret_cast<char*>(head), sizeof head)) {
    Column column;
    column.type = static_cast<numpact::NumberType>(head[0]);
    column.count = head[1];
    column.numbers.resize(head[1] * numpact::size_of(column.type));
    file.read(reinterpret_cast<char*>(column.numbers.data()),
              static_cast<std::streamsize>(column.numbers.size()));
    columns.push_back(std::move(column));
  }
  return columns;
}

std::uint64_t counted_edges() {
  std::uint64_t sum = 0;
  for (const std::uint64_t* at = __llvm_profile_begin_counters();
       at != __llvm_profile_end_counters(); ++at) {
    sum += *at;
  }
  return sum;
}

bool ends_with_log2(const std::string& name) {
  return name.ends_with("Log2") || name.ends_with("log2") || name.ends_with("Log") ||
         name.ends_with("SizeLog");
}

// Switches are turned, logarithms moved by one, ratios near 1 by their distance to it.
void change(const TunedConstant& constant, double factor) {
  std::visit(
      [&](auto* at) {
        using T = std::remove_pointer_t<decltype(at)>;
        if constexpr (std::is_same_v<T, bool>) {
          *at = !*at;
        } else if constexpr (std::is_floating_point_v<T>) {
          const bool is_ratio = *at > 0.8 && *at < 1.5 && *at != 1;
          *at = static_cast<T>(is_ratio ? 1 + (*at - 1) * factor : *at * factor);
        } else if (ends_with_log2(constant.name)) {
          *at = static_cast<T>(*at + (factor > 1 ? 1 : -1));
        } else {
          *at = static_cast<T>(static_cast<double>(*at) * factor);
        }
      },
      constant.at);
}

bool apply(const std::string& name, double factor) {
  bool found = name == "-";
  for (const TunedConstant& constant : numpact::internal::tuned_constants()) {
    if (constant.name != name) continue;
    change(constant, factor);
    found = true;
  }
  return found;
}

void run(const std::vector<Column>& columns, const numpact::EncodeConfig& config,
         std::vector<std::uint64_t>& results) {
  for (const Column& column : columns) {
    const std::uint64_t before = counted_edges();
    const auto bytes =
        numpact::compress({column.type, column.numbers.data(), column.count}, config);
    results.push_back(bytes ? bytes->size() : 0);
    results.push_back(counted_edges() - before);
  }
}

struct Job {
  std::string name;
  double factor;
  pid_t process;
  int pipe;
};

Job start(const std::string& name, double factor, const std::vector<Column>& columns,
          const numpact::EncodeConfig& config, rlim_t max_seconds) {
  int ends[2];
  if (::pipe(ends) != 0) std::exit(1);
  const pid_t process = ::fork();
  if (process == 0) {
    ::close(ends[0]);
    const rlimit limit{max_seconds, max_seconds};
    ::setrlimit(RLIMIT_CPU, &limit);
    std::vector<std::uint64_t> results;
    if (!apply(name, factor)) ::_exit(2);
    run(columns, config, results);
    const std::size_t bytes = results.size() * sizeof(std::uint64_t);
    const bool is_written = ::write(ends[1], results.data(), bytes) == static_cast<ssize_t>(bytes);
    ::_exit(is_written ? 0 : 3);
  }
  ::close(ends[1]);
  return {name, factor, process, ends[0]};
}

void finish(const Job& job) {
  std::vector<std::uint64_t> results;
  std::uint64_t value = 0;
  while (::read(job.pipe, &value, sizeof value) == sizeof value) results.push_back(value);
  ::close(job.pipe);
  int status = 0;
  ::waitpid(job.process, &status, 0);
  std::printf("{\"name\": \"%s\", \"factor\": %g, \"failed\": %d, \"bytes\": [", job.name.c_str(),
              job.factor, status != 0 ? 1 : 0);
  for (std::size_t i = 0; i < results.size(); i += 2) {
    std::printf("%s%llu", i ? ", " : "", static_cast<unsigned long long>(results[i]));
  }
  std::printf("], \"edges\": [");
  for (std::size_t i = 1; i < results.size(); i += 2) {
    std::printf("%s%llu", i > 1 ? ", " : "", static_cast<unsigned long long>(results[i]));
  }
  std::printf("]}\n");
  std::fflush(stdout);
}

void print_constants() {
  std::map<std::string, std::string> values;
  for (const TunedConstant& constant : numpact::internal::tuned_constants()) {
    values[constant.name] =
        std::visit([](const auto* at) { return std::to_string(+*at); }, constant.at);
  }
  std::printf("{\"constants\": {");
  const char* separator = "";
  for (const auto& [name, value] : values) {
    std::printf("%s\"%s\": %s", separator, name.c_str(), value.c_str());
    separator = ", ";
  }
  std::printf("}}\n");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const std::vector<Column> columns = read_columns(argv[1]);
  numpact::EncodeConfig config;
  config.level = static_cast<unsigned>(std::atoi(argv[2]));
  config.favor_decode_speed = std::atoi(argv[3]) != 0;
  const std::size_t jobs = static_cast<std::size_t>(std::atoi(argv[4]));
  numpact::internal::tune_level(config.level);
  // Also enters the constants within functions.
  std::vector<std::uint64_t> base;
  const std::clock_t begin = std::clock();
  run(columns, config, base);
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  const auto max_seconds = static_cast<rlim_t>(kMaxTimeRatio * seconds + kMaxMoreSeconds);
  print_constants();
  std::vector<Job> running;
  std::string name;
  double factor = 1;
  while (std::cin >> name >> factor) {
    if (running.size() == jobs) {
      finish(running.front());
      running.erase(running.begin());
    }
    running.push_back(start(name, factor, columns, config, max_seconds));
  }
  for (const Job& job : running) finish(job);
  // Without the file that a build for profiles writes at its end.
  std::fflush(stdout);
  ::_exit(0);
}
