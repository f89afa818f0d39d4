// SPDX-License-Identifier: Apache-2.0
// Writes a file block by block, appends to it, reads it back in pieces of another size. Neither way
// holds all numbers in memory.
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <fstream>
#include <iostream>
#include <span>
#include <string>

#include "numpact/stream.hpp"

namespace {

constexpr std::int64_t kCount = 300'000;

std::int64_t number_at(std::int64_t i) { return 1'700'000'000'000 + 250 * i + i % 7; }

class FileSink final : public numpact::ByteSink {
 public:
  explicit FileSink(const std::string& path) : file_(path, std::ios::binary) {}
  numpact::Status write(std::span<const std::byte> bytes) override {
    file_.write(reinterpret_cast<const char*>(bytes.data()),
                static_cast<std::streamsize>(bytes.size()));
    file_.flush();
    if (file_) return {};
    return numpact::Status(numpact::ErrorKind::kIo, "the file cannot be written");
  }

 private:
  std::ofstream file_;
};

void write_file(const std::string& path) {
  FileSink sink(path);
  numpact::EncodeConfig config;
  config.paging = numpact::PagingSpec::equal_pages_up_to(65'536);
  numpact::StreamWriter writer(sink, numpact::NumberType::kI64, config);
  std::array<std::int64_t, 1000> block{};
  for (std::int64_t i = 0; i < kCount;) {
    for (std::int64_t& number : block) number = number_at(i++);
    throw_if_error(writer.write(block));
  }
  throw_if_error(writer.finish());
}

// The numbers that are as they should be, up to the first that is not.
std::int64_t count_right(const std::string& path) {
  numpact::FileSource source = numpact::FileSource::open(path).value(path);
  numpact::StreamReader reader(source);
  std::array<std::int64_t, 4096> block{};
  std::int64_t right = 0;
  while (const std::size_t got = reader.read(block).value()) {
    for (const std::int64_t number : std::span(block).first(got)) {
      if (number != number_at(right)) return right;
      ++right;
    }
  }
  return right;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string path = argc > 1 ? argv[1] : "numbers.pco";
  try {
    write_file(path);
    const std::array<std::int64_t, 2> more = {number_at(kCount), number_at(kCount + 1)};
    numpact::throw_if_error(numpact::append_to_file(path, more), path);
    const std::int64_t right = count_right(path);
    std::cout << right << " of " << kCount + 2 << " numbers came back from " << path << '\n';
    return right == kCount + 2 ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
