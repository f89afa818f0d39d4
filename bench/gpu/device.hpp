// SPDX-License-Identifier: Apache-2.0
// Memory and times of a GPU, for the benchmarks of this folder.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace numpact::bench {

constexpr int kNoGpu = 77;  // what programs end with; gpu.py knows it

[[noreturn]] inline void stop(const std::string& why, int code = 1) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(code);
}

inline void check(cudaError_t error) {
  if (error != cudaSuccess) stop(cudaGetErrorString(error));
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

class DeviceBytes {
 public:
  explicit DeviceBytes(std::size_t bytes) : size(bytes) { check(cudaMalloc(&data, bytes + 1)); }
  ~DeviceBytes() { (void)cudaFree(data); }
  DeviceBytes(const DeviceBytes&) = delete;
  DeviceBytes& operator=(const DeviceBytes&) = delete;
  void* data = nullptr;
  std::size_t size = 0;
};

// Median seconds of work queued on the default stream, by the device's clock; two more runs before
// are not counted.
inline double device_seconds(int rounds, const std::function<void()>& queue) {
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  std::vector<double> times;
  for (int i = -2; i < rounds; ++i) {
    check(cudaEventRecord(begin));
    queue();
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin, end));
    if (i >= 0) times.push_back(milliseconds / 1e3);
  }
  check(cudaEventDestroy(begin));
  check(cudaEventDestroy(end));
  return median(times);
}

// Median seconds of work that ends before the call does.
inline double host_seconds(int rounds, const std::function<void()>& work) {
  std::vector<double> times;
  for (int i = 0; i < rounds; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    times.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return median(times);
}

// Bytes read and written in a second by a copy within the device.
inline double copy_bandwidth() {
  constexpr std::size_t kBytes = std::size_t{1} << 30;
  constexpr int kRounds = 15;
  const DeviceBytes from(kBytes);
  const DeviceBytes to(kBytes);
  check(cudaMemset(from.data, 0x5a, kBytes));
  const double seconds = device_seconds(kRounds, [&] {
    check(cudaMemcpyAsync(to.data, from.data, kBytes, cudaMemcpyDeviceToDevice));
  });
  return 2.0 * kBytes / seconds;
}

}  // namespace numpact::bench
