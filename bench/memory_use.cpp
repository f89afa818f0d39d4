// SPDX-License-Identifier: Apache-2.0
// Prints the memory that a call takes, for memory.py; one measurement for each process.
//
//   memory_use write COUNT FILE    streams COUNT numbers (i64) to a file
//   memory_use stream FILE         reads them again block by block, and compares
//   memory_use once FILE           decodes a file of any type in one call
//
// Prints one JSON object with bytes: `above` is how far the process' resident memory rose above
// what it had before the call, when input and output were there and touched.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "numpact/numpact.hpp"

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kBlockN = std::size_t{1} << 16;

// A field of /proc/self/status, in bytes.
std::uint64_t status_field(const std::string& name) {
  std::ifstream in("/proc/self/status");
  std::string word;
  while (in >> word) {
    std::uint64_t kilobytes = 0;
    if (word == name + ":" && in >> kilobytes) return kilobytes * 1024;
  }
  throw std::runtime_error("no " + name + " in /proc/self/status");
}

// Resident memory now, from which on its peak is followed.
class PeakAbove {
 public:
  PeakAbove() {
    std::ofstream reset("/proc/self/clear_refs");
    reset << "5" << std::flush;
    is_reset_ = reset.good();
    before_ = status_field("VmRSS");
  }
  std::uint64_t bytes() const {
    const std::uint64_t peak = status_field("VmHWM");
    return peak > before_ ? peak - before_ : 0;
  }
  bool is_reset() const { return is_reset_; }

 private:
  bool is_reset_ = false;
  std::uint64_t before_ = 0;
};

// A walk whose steps have some tens of bins; the same every time.
class Walk {
 public:
  void fill(std::span<std::int64_t> out) {
    for (std::int64_t& number : out) {
      state_ ^= state_ << 13;
      state_ ^= state_ >> 7;
      state_ ^= state_ << 17;
      const auto step = static_cast<std::int64_t>((state_ & 0xfff) * (state_ >> 52));
      value_ += step - (1 << 22);
      number = value_;
    }
  }

 private:
  std::uint64_t state_ = 88172645463325252u;
  std::int64_t value_ = 0;
};

class FileSink final : public numpact::ByteSink {
 public:
  explicit FileSink(const std::string& path) : file_(std::fopen(path.c_str(), "wb")) {
    if (file_ == nullptr) throw std::runtime_error(path + ": " + std::strerror(errno));
  }
  ~FileSink() override { close(); }
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;

  numpact::Status write(std::span<const std::byte> bytes) override {
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_) == bytes.size()) return {};
    return {numpact::ErrorKind::kIo, "cannot write"};
  }
  bool close() {
    const bool good = file_ == nullptr || std::fclose(file_) == 0;
    file_ = nullptr;
    return good;
  }

 private:
  std::FILE* file_;
};

void print(std::uint64_t count, std::uint64_t file_bytes, const PeakAbove& peak,
           Clock::duration passed) {
  const std::uint64_t above = peak.bytes();
  std::printf(
      "{\"count\": %llu, \"file\": %llu, \"above\": %llu, \"reset\": %s, "
      "\"seconds\": %.3f}\n",
      static_cast<unsigned long long>(count), static_cast<unsigned long long>(file_bytes),
      static_cast<unsigned long long>(above), peak.is_reset() ? "true" : "false",
      std::chrono::duration<double>(passed).count());
}

void write_stream(std::uint64_t count, const std::string& path) {
  std::vector<std::int64_t> block(kBlockN);
  Walk walk;
  FileSink sink(path);
  numpact::EncodeConfig config;
  config.level = 2;  // quick; what is asked is how much memory reading takes
  config.mode = numpact::ModeSpec::classic();
  config.delta = numpact::DeltaSpec::try_consecutive(1);
  const PeakAbove peak;
  const Clock::time_point start = Clock::now();
  numpact::StreamWriter writer(sink, numpact::NumberType::kI64, config);
  for (std::uint64_t done = 0; done < count;) {
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(kBlockN, count - done));
    const std::span<std::int64_t> numbers = std::span(block).first(n);
    walk.fill(numbers);
    throw_if_error(writer.write(std::span<const std::int64_t>(numbers)));
    done += n;
  }
  throw_if_error(writer.finish());
  if (!sink.close()) throw std::runtime_error(path + ": cannot write");
  print(count, writer.bytes_written(), peak, Clock::now() - start);
}

void read_stream(const std::string& path) {
  std::vector<std::int64_t> block(kBlockN);
  std::vector<std::int64_t> expected(kBlockN);
  Walk walk;
  const PeakAbove peak;
  const Clock::time_point start = Clock::now();
  numpact::FileSource source = numpact::FileSource::open(path).value(path);
  numpact::StreamReader reader(source);
  std::uint64_t count = 0;
  for (std::size_t n = kBlockN; n == kBlockN; count += n) {
    n = reader.read(block).value();
    walk.fill(std::span(expected).first(n));
    if (std::memcmp(block.data(), expected.data(), n * sizeof(std::int64_t)) != 0) {
      throw std::runtime_error("the numbers differ");
    }
  }
  print(count, reader.bytes_consumed(), peak, Clock::now() - start);
}

void decode_once(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const std::span<const std::byte> file = std::as_bytes(std::span(text));
  const std::optional<numpact::NumberType> type = numpact::read_header(file).value().number_type;
  if (!type) throw std::runtime_error("an empty file");
  std::uint64_t count = 0;
  numpact::throw_if_error(numpact::count_numbers(file).into(count));
  std::vector<std::byte> out(count * numpact::size_of(*type), std::byte{1});
  const PeakAbove peak;
  const Clock::time_point start = Clock::now();
  std::size_t got = 0;
  numpact::throw_if_error(numpact::decompress_into(file, {*type, out.data(), count}).into(got));
  const Clock::duration passed = Clock::now() - start;
  print(got, file.size(), peak, passed);
}

int run(const std::vector<std::string>& words) {
  const std::string verb = words.empty() ? "" : words[0];
  if (verb == "write" && words.size() == 3) {
    write_stream(std::strtoull(words[1].c_str(), nullptr, 10), words[2]);
  } else if (verb == "stream" && words.size() == 2) {
    read_stream(words[1]);
  } else if (verb == "once" && words.size() == 2) {
    decode_once(words[1]);
  } else {
    std::fprintf(stderr, "usage: memory_use write COUNT FILE | stream FILE | once FILE\n");
    return 2;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "memory_use: %s\n", error.what());
    return 1;
  }
}
