// SPDX-License-Identifier: Apache-2.0
// Times single calls on small files, for small.py: small_calls CALLS FILE...
//
// Prints one JSON object for each file: nanoseconds of a call (median and 99th percentile) and
// allocations of a call once contexts are warm, for decoding the file and for encoding its numbers.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <new>
#include <string>
#include <vector>

#include "numpact/numpact.hpp"

namespace {

std::atomic<std::uint64_t> allocations = 0;

void* allocate(std::size_t size, std::size_t align) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  void* memory = nullptr;
  if (::posix_memalign(&memory, std::max(align, sizeof(void*)), std::max<std::size_t>(size, 1))) {
    throw std::bad_alloc();
  }
  return memory;
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size, 16); }
void* operator new[](std::size_t size) { return allocate(size, 16); }
void* operator new(std::size_t size, std::align_val_t align) {
  return allocate(size, static_cast<std::size_t>(align));
}
void* operator new[](std::size_t size, std::align_val_t align) {
  return allocate(size, static_cast<std::size_t>(align));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace {

constexpr std::size_t kWarmUps = 200;

struct Calls {
  std::uint64_t median = 0;  // nanoseconds
  std::uint64_t p99 = 0;
  double allocations = 0;
};

template <class Call>
Calls time_calls(std::size_t n, const Call& call) {
  using Clock = std::chrono::steady_clock;
  for (std::size_t i = 0; i < kWarmUps; ++i) call();
  std::vector<std::uint64_t> times(n);
  const std::uint64_t before = allocations;
  for (std::uint64_t& time : times) {
    const Clock::time_point start = Clock::now();
    call();
    const auto passed = Clock::now() - start;
    time = static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(passed).count());
  }
  const std::uint64_t made = allocations - before;
  std::sort(times.begin(), times.end());
  return {times[n / 2], times[n * 99 / 100], static_cast<double>(made) / static_cast<double>(n)};
}

std::vector<std::byte> read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  std::vector<std::byte> bytes(text.size());
  std::transform(text.begin(), text.end(), bytes.begin(),
                 [](char c) { return static_cast<std::byte>(c); });
  return bytes;
}

void print_calls(const char* name, const Calls& calls) {
  std::printf(", \"%s\": {\"median_ns\": %llu, \"p99_ns\": %llu, \"allocations\": %.3f}", name,
              static_cast<unsigned long long>(calls.median),
              static_cast<unsigned long long>(calls.p99), calls.allocations);
}

void measure(const std::string& path, std::size_t n) {
  const std::vector<std::byte> file = read_file(path);
  numpact::NumberArray numbers = numpact::decompress_any(file).value();
  const numpact::NumberView view = numbers.view();
  const numpact::MutableNumberView out(numbers.type(), numbers.storage().data(), view.count);

  numpact::DecodeContext decode_context;
  const Calls decode = time_calls(n, [&] {
    std::size_t count = 0;
    numpact::throw_if_error(numpact::decompress_into(file, out, {}, &decode_context).into(count));
  });

  const numpact::EncodeConfig config;
  std::vector<std::byte> packed(numpact::compress_bound(view.type, view.count, config));
  numpact::EncodeContext encode_context;
  const Calls encode = time_calls(n / 10 + 1, [&] {
    std::size_t written = 0;
    numpact::throw_if_error(
        numpact::compress_into(view, packed, config, &encode_context).into(written));
  });

  std::printf("{\"count\": %zu, \"bytes\": %zu", view.count, file.size());
  print_calls("decode", decode);
  print_calls("encode", encode);
  std::printf("}\n");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc < 3) {
      std::fprintf(stderr, "usage: small_calls CALLS FILE...\n");
      return 2;
    }
    const std::size_t calls = std::max(1UL, std::strtoul(argv[1], nullptr, 10));
    for (int i = 2; i < argc; ++i) measure(argv[i], calls);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "small_calls: %s\n", error.what());
    return 1;
  }
}
