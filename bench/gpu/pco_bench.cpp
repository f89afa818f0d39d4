// SPDX-License-Identifier: Apache-2.0
// Decoding Pco files on a GPU, compared with the device's copy bandwidth and the CPU: one line of
// JSON for each file named. Run by bench/gpu.py.
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "device.hpp"
#include "numpact/cuda.hpp"
#include "numpact/file_access.hpp"
#include "numpact/numpact.hpp"

namespace numpact::bench {
namespace {

constexpr int kRounds = 15;

void measure(const char* path, double bandwidth) {
  MappedFile mapped;
  throw_if_error(MappedFile::open(path).into(mapped));
  const std::span<const std::byte> file = mapped.bytes();
  const auto index = ChunkIndex::build(file).value();
  const auto trailer = Trailer::read(file).value();
  const auto type = index.type().value();
  const std::size_t bytes = index.count() * size_of(type);

  std::vector<std::byte> expected(bytes);
  DecodeConfig many;
  many.threads = 0;
  const auto decode_on_cpu = [&](const DecodeConfig& config) {
    const auto reader = FileReader::create(file, index).value();
    throw_if_error(reader.read(0, {type, expected.data(), index.count()}, config));
  };
  const double one_thread = host_seconds(3, [&] { decode_on_cpu({}); });
  const double threads = host_seconds(3, [&] { decode_on_cpu(many); });

  const DeviceBytes out(bytes);
  const cuda::DeviceNumbers numbers{type, out.data, index.count()};
  check(cudaMemset(out.data, 0xa5, bytes));
  cuda::LoadedPco loaded;
  throw_if_error(cuda::LoadedPco::load(file, index, 0).into(loaded));
  const double on_device = device_seconds(kRounds, [&] { throw_if_error(loaded.decode(numbers)); });
  throw_if_error(loaded.wait());
  // Compares the output and overwrites it.
  std::size_t mismatches = 0;
  const auto compare = [&] {
    std::vector<std::byte> got(bytes);
    check(cudaMemcpy(got.data(), out.data, bytes, cudaMemcpyDeviceToHost));
    check(cudaMemset(out.data, 0xa5, bytes));
    for (std::size_t i = 0; i < bytes; i += size_of(type)) {
      mismatches += std::memcmp(&got[i], &expected[i], size_of(type)) != 0;
    }
  };
  compare();
  cuda::PcoDecoder decoder;
  const auto transfer_seconds = [&](const DecodeConfig& config) {
    const auto decode = [&] {
      throw_if_error(decoder.decompress_into(file, index, numbers, nullptr, config));
    };
    decode();  // allocates
    return host_seconds(5, decode);
  };
  const double with_transfer = transfer_seconds({});
  compare();
  const double with_threads = transfer_seconds(many);
  compare();

  const double gb = static_cast<double>(bytes) / 1e9;
  const double points =
      trailer ? static_cast<double>(trailer->bytes()) / static_cast<double>(trailer->file_bytes())
              : 0.0;
  std::printf(
      "{\"file\": \"%s\", \"count\": %llu, \"bits\": %.3f, \"trailer_share\": %.5f, "
      "\"decode_gb_s\": %.2f, \"from_host_gb_s\": %.2f, \"from_host_all_gb_s\": %.2f, "
      "\"cpu_1_gb_s\": %.2f, "
      "\"cpu_all_gb_s\": %.2f, \"copy_gb_s\": %.1f, \"mismatches\": %zu}\n",
      path, static_cast<unsigned long long>(index.count()),
      8.0 * static_cast<double>(file.size()) / static_cast<double>(index.count()), points,
      gb / on_device, gb / with_transfer, gb / with_threads, gb / one_thread, gb / threads,
      bandwidth / 1e9, mismatches);
  std::fflush(stdout);
}

}  // namespace
}  // namespace numpact::bench

int main(int argc, char** argv) {
  using namespace numpact::bench;
  int devices = 0;
  const numpact::Status status = numpact::cuda::device_count().into(devices);
  if (!status.ok() || devices == 0) stop(std::string("no GPU: ") + status.what(), kNoGpu);
  const double bandwidth = copy_bandwidth();
  for (int i = 1; i < argc; ++i) {
    try {
      measure(argv[i], bandwidth);
    } catch (const std::exception& error) {
      stop(std::string(argv[i]) + ": " + error.what());
    }
  }
  return 0;
}
