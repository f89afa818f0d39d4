// SPDX-License-Identifier: Apache-2.0
// Decoding Pco files on a GPU, compared with the device's copy bandwidth and the CPU: one line of
// JSON for each file named. Run by bench/gpu.py.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "numpact/cuda.hpp"
#include "numpact/file_access.hpp"
#include "numpact/numpact.hpp"

namespace {

using numpact::cuda::LoadedPco;
using numpact::cuda::PcoDecoder;

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "bench_gpu_pco: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

constexpr int kRounds = 15;

// Median seconds of work queued on the default stream, by the device's clock.
double device_seconds(const std::function<void()>& queue) {
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  std::vector<double> times;
  for (int i = -2; i < kRounds; ++i) {
    check(cudaEventRecord(begin));
    queue();
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin, end));
    if (i >= 0) times.push_back(ms / 1e3);
  }
  check(cudaEventDestroy(begin));
  check(cudaEventDestroy(end));
  return median(times);
}

// Seconds of work that ends before the call does.
double host_seconds(int rounds, const std::function<void()>& work) {
  std::vector<double> times;
  for (int i = 0; i < rounds; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    times.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return median(times);
}

class DeviceBuffer {
 public:
  explicit DeviceBuffer(std::size_t bytes) { check(cudaMalloc(&data_, bytes + 1)); }
  ~DeviceBuffer() { (void)cudaFree(data_); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  void* data() const { return data_; }

 private:
  void* data_ = nullptr;
};

// Bytes read and written in a second by a copy within the device.
double copy_bandwidth() {
  constexpr std::size_t kBytes = std::size_t{1} << 30;
  const DeviceBuffer from(kBytes);
  const DeviceBuffer to(kBytes);
  check(cudaMemset(from.data(), 0x5a, kBytes));
  const double seconds = device_seconds(
      [&] { check(cudaMemcpyAsync(to.data(), from.data(), kBytes, cudaMemcpyDeviceToDevice)); });
  return 2.0 * kBytes / seconds;
}

void measure(const char* path, double bandwidth) {
  numpact::MappedFile mapped;
  throw_if_error(numpact::MappedFile::open(path).into(mapped));
  const std::span<const std::byte> file = mapped.bytes();
  const auto index = numpact::ChunkIndex::build(file).value();
  const auto trailer = numpact::Trailer::read(file).value();
  const auto type = index.type().value();
  const std::size_t bytes = index.count() * size_of(type);

  std::vector<std::byte> expected(bytes);
  numpact::DecodeConfig many;
  many.threads = 0;
  const auto decode_on_cpu = [&](const numpact::DecodeConfig& config) {
    const auto reader = numpact::FileReader::create(file, index).value();
    throw_if_error(reader.read(0, {type, expected.data(), index.count()}, config));
  };
  const double one_thread = host_seconds(3, [&] { decode_on_cpu({}); });
  const double threads = host_seconds(3, [&] { decode_on_cpu(many); });

  const DeviceBuffer out(bytes);
  const numpact::cuda::DeviceNumbers numbers{type, out.data(), index.count()};
  check(cudaMemset(out.data(), 0xa5, bytes));
  LoadedPco loaded;
  throw_if_error(LoadedPco::load(file, index, 0).into(loaded));
  const double on_device = device_seconds([&] { throw_if_error(loaded.decode(numbers)); });
  throw_if_error(loaded.wait());
  std::vector<std::byte> got(bytes);
  check(cudaMemcpy(got.data(), out.data(), bytes, cudaMemcpyDeviceToHost));
  std::size_t mismatches = 0;
  for (std::size_t i = 0; i < bytes; i += size_of(type)) {
    mismatches += std::memcmp(&got[i], &expected[i], size_of(type)) != 0;
  }

  PcoDecoder decoder;
  const double with_transfer =
      host_seconds(5, [&] { throw_if_error(decoder.decompress_into(file, index, numbers)); });

  const double gb = static_cast<double>(bytes) / 1e9;
  std::printf(
      "{\"file\": \"%s\", \"type\": \"%s\", \"count\": %llu, \"bits\": %.3f, \"tasks\": %llu, "
      "\"chunks\": %zu, \"trailer_share\": %.5f, \"device_bytes\": %llu, \"decode_gb_s\": %.2f, "
      "\"from_host_gb_s\": %.2f, \"cpu_1_gb_s\": %.2f, \"cpu_all_gb_s\": %.2f, "
      "\"copy_gb_s\": %.1f, \"mismatches\": %zu}\n",
      path, std::string(name_of(type)).c_str(), static_cast<unsigned long long>(index.count()),
      8.0 * static_cast<double>(file.size()) / static_cast<double>(index.count()),
      static_cast<unsigned long long>(loaded.tasks()), index.chunks().size(),
      trailer ? static_cast<double>(trailer->bytes()) / static_cast<double>(trailer->file_bytes())
              : 0.0,
      static_cast<unsigned long long>(loaded.device_bytes()), gb / on_device, gb / with_transfer,
      gb / one_thread, gb / threads, bandwidth / 1e9, mismatches);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  int devices = 0;
  const numpact::Status status = numpact::cuda::device_count().into(devices);
  if (!status.ok() || devices == 0) {
    std::fprintf(stderr, "bench_gpu_pco: no GPU: %s\n", status.what());
    return 77;
  }
  const double bandwidth = copy_bandwidth();
  for (int i = 1; i < argc; ++i) {
    try {
      measure(argv[i], bandwidth);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "bench_gpu_pco: %s: %s\n", argv[i], error.what());
      return 1;
    }
  }
  return 0;
}
