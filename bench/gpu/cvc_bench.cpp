// SPDX-License-Identifier: Apache-2.0
// CVC rows to a GPU: gigabytes of output in a second against what the device copies in the same
// run. A line of JSON for each compression and output.
//   bench_gpu_cvc [--rows N] [--dimension D] [--chunk-rows N] [--device I] [--repeats N]
//                 [--threads N] [--compressions fp16,int8,...] [--outputs float32,...]
#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "numpact/cuda.hpp"
#include "numpact/cvc.hpp"

namespace {

namespace cuda = numpact::cuda;
namespace cvc = numpact::cvc;
using Clock = std::chrono::steady_clock;

struct Options {
  std::uint64_t rows = 10'000'000;
  std::uint64_t dimension = 768;
  std::uint64_t chunk_rows = 100'000;
  int device = 0;
  int repeats = 5;
  unsigned threads = std::min(16u, std::thread::hardware_concurrency());
  std::string compressions = "fp16,int8";
  std::string outputs = "float32";
};

[[noreturn]] void stop(const std::string& why) {
  std::fprintf(stderr, "bench_gpu_cvc: %s\n", why.c_str());
  std::exit(1);
}

void check(cudaError_t error) {
  if (error != cudaSuccess) stop(cudaGetErrorString(error));
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    if (i + 1 == argc) stop(name + " needs a value");
    const std::string value = argv[i + 1];
    if (name == "--rows") {
      options.rows = std::stoull(value);
    } else if (name == "--dimension") {
      options.dimension = std::stoull(value);
    } else if (name == "--chunk-rows") {
      options.chunk_rows = std::stoull(value);
    } else if (name == "--device") {
      options.device = std::stoi(value);
    } else if (name == "--repeats") {
      options.repeats = std::max(1, std::stoi(value));
    } else if (name == "--threads") {
      options.threads = static_cast<unsigned>(std::stoul(value));
    } else if (name == "--compressions") {
      options.compressions = value;
    } else if (name == "--outputs") {
      options.outputs = value;
    } else {
      stop("no option " + name);
    }
  }
  return options;
}

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> words;
  std::stringstream text(list);
  for (std::string word; std::getline(text, word, ',');) words.push_back(word);
  return words;
}

struct DeviceBytes {
  explicit DeviceBytes(std::size_t bytes) : size(bytes) { check(cudaMalloc(&data, bytes)); }
  ~DeviceBytes() { (void)cudaFree(data); }
  DeviceBytes(const DeviceBytes&) = delete;
  DeviceBytes& operator=(const DeviceBytes&) = delete;
  void* data = nullptr;
  std::size_t size = 0;
};

// Seconds of the device; the best of some runs, after one that is not counted.
double device_seconds(int repeats, const std::function<void()>& queue) {
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  double best = 1e30;
  for (int i = 0; i <= repeats; ++i) {
    check(cudaEventRecord(begin));
    queue();
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin, end));
    if (i > 0) best = std::min(best, milliseconds / 1e3);
  }
  check(cudaEventDestroy(begin));
  check(cudaEventDestroy(end));
  return best;
}

double wall_seconds(int repeats, const std::function<void()>& run) {
  double best = 1e30;
  for (int i = 0; i <= repeats; ++i) {
    const auto start = Clock::now();
    run();
    const std::chrono::duration<double> took = Clock::now() - start;
    if (i > 0) best = std::min(best, took.count());
  }
  return best;
}

// Bytes read and written in a second by a copy within the device.
double copy_bandwidth(int repeats) {
  const std::size_t bytes = std::size_t{4} << 30;
  const DeviceBytes from(bytes);
  const DeviceBytes to(bytes);
  check(cudaMemset(from.data, 1, bytes));
  const double seconds = device_seconds(repeats, [&] {
    check(cudaMemcpyAsync(to.data, from.data, bytes, cudaMemcpyDeviceToDevice));
  });
  return 2.0 * static_cast<double>(bytes) / seconds;
}

// Chunks of the same rows: the device cannot know.
std::vector<std::byte> make_file(const Options& options, cvc::Compression compression) {
  const std::uint64_t chunk_rows = std::min(options.chunk_rows, options.rows);
  std::mt19937 engine(1);
  std::normal_distribution<float> normal;
  std::vector<float> values(chunk_rows * options.dimension);
  std::vector<float> some(1 << 16);
  for (float& value : some) value = normal(engine);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = some[i * 2654435761u >> 7 & 0xffff];
  cvc::WriteConfig config;
  config.compression = compression;
  config.chunk_rows = chunk_rows;
  config.rounding = cvc::Rounding::kNearest;
  config.dimension = options.dimension;
  std::vector<std::byte> one;
  cvc::Writer first = cvc::Writer::create(one, config).value();
  throw_if_error(first.append(cvc::Rows(std::span<const float>(values), options.dimension)));
  first.finish().value();
  const cvc::Reader reader = cvc::Reader::create(one).value();
  const cvc::Chunk& chunk = reader.info().chunks[0];
  const std::span<const std::byte> payload(
      one.data() + chunk.offset + reader.info().record_head_bytes(), chunk.payload_bytes);
  std::vector<std::byte> file;
  const std::uint64_t chunks = std::max<std::uint64_t>(1, options.rows / chunk_rows);
  file.reserve(chunks * (payload.size() + 200) + 4096);
  cvc::Writer writer = cvc::Writer::create(file, config).value();
  for (std::uint64_t i = 0; i < chunks; ++i) {
    throw_if_error(writer.append_encoded({chunk_rows, {&reader.info().slice(0, 0), 1}, payload}));
  }
  writer.finish().value();
  return file;
}

// Values of the first chunk, a middle one and the last that differ from the CPU's.
std::uint64_t mismatches(const cvc::Reader& reader, const cuda::DeviceRows& out) {
  std::uint64_t wrong = 0;
  const std::vector<cvc::Chunk>& chunks = reader.info().chunks;
  const std::size_t size = cvc::size_of(out.type);
  for (const std::size_t c : {std::size_t{0}, chunks.size() / 2, chunks.size() - 1}) {
    const cvc::RowRange rows{chunks[c].first_row, chunks[c].rows};
    std::vector<std::byte> got(rows.count * out.dimension * size);
    std::vector<std::byte> expected(got.size());
    const std::size_t at = rows.first * out.dimension * size;
    check(cudaMemcpy(got.data(), static_cast<std::byte*>(out.data) + at, got.size(),
                     cudaMemcpyDeviceToHost));
    const cvc::Target target{{out.type, expected.data(), rows.count, out.dimension}, 0};
    cvc::ReadConfig config;
    config.threads = 0;
    numpact::throw_if_error(reader.read({&rows, 1}, {&target, 1}, config).status());
    for (std::size_t i = 0; i < got.size(); i += size) {
      wrong += std::memcmp(&got[i], &expected[i], size) != 0 ? 1 : 0;
    }
  }
  return wrong;
}

// Stored slices and their bytes on the device.
struct Resident {
  explicit Resident(const cvc::Reader& reader) {
    for (std::size_t i = 0; i < reader.info().chunks.size(); ++i) {
      auto& slice = *slices.emplace_back(std::make_unique<cvc::StoredSlice>());
      numpact::throw_if_error(reader.stored_slice(i, 0).into(slice));
      memory.push_back(std::make_unique<DeviceBytes>(slice.bytes.size() + 16));
      check(cudaMemcpy(memory.back()->data, slice.bytes.data(), slice.bytes.size(),
                       cudaMemcpyHostToDevice));
      rows.push_back({&slice, memory.back()->data, {0, slice.rows}, slice.first_row});
      bytes += slice.bytes.size();
    }
  }
  std::vector<std::unique_ptr<cvc::StoredSlice>> slices;
  std::vector<std::unique_ptr<DeviceBytes>> memory;
  std::vector<cuda::ResidentRows> rows;
  std::uint64_t bytes = 0;
};

double host_seconds(const Options& options, const cvc::Reader& reader, cvc::Dtype type) {
  const std::uint64_t rows = reader.rows();
  std::vector<std::byte> out(rows * options.dimension * cvc::size_of(type));
  const cvc::RowRange all{0, rows};
  const cvc::Target target{{type, out.data(), rows, options.dimension}, 0};
  cvc::ReadConfig config;
  config.threads = options.threads;
  return wall_seconds(1, [&] {
    numpact::throw_if_error(reader.read({&all, 1}, {&target, 1}, config).status());
  });
}

void measure(const Options& options, cvc::Compression compression, cvc::Dtype type,
             const cvc::Reader& reader, double copying, const std::string& device) {
  const std::uint64_t rows = reader.rows();
  const double out_bytes = static_cast<double>(rows * options.dimension * cvc::size_of(type));
  const DeviceBytes memory(static_cast<std::size_t>(out_bytes));
  check(cudaMemset(memory.data, 0xa5, memory.size));
  const cuda::DeviceRows out{type, memory.data, rows, options.dimension, 0};
  const cuda::Queue queue{options.device, nullptr};
  cuda::CvcDecoder decoder(options.device, std::size_t{64} << 20);
  const cvc::RowRange all{0, rows};
  const auto read = [&](cuda::Transfer transfer) {
    cuda::CvcConfig config;
    config.threads = options.threads;
    config.transfer = transfer;
    return decoder.read(reader, {&all, 1}, 0, out, queue, config);
  };
  const double pinned = wall_seconds(
      options.repeats, [&] { numpact::throw_if_error(read(cuda::Transfer::kPinned)); });
  const std::uint64_t wrong_read = mismatches(reader, out);
  double mapped = 0;
  const numpact::Status takes = read(cuda::Transfer::kMapped);
  if (takes.ok()) {
    mapped = wall_seconds(1, [&] { numpact::throw_if_error(read(cuda::Transfer::kMapped)); });
  }
  check(cudaMemset(memory.data, 0xa5, memory.size));
  const Resident resident(reader);
  const double decoding = device_seconds(options.repeats, [&] {
    numpact::throw_if_error(decoder.decode_resident(resident.rows, out, queue));
  });
  numpact::throw_if_error(decoder.finish());
  const std::uint64_t wrong = wrong_read + mismatches(reader, out);
  const double host = host_seconds(options, reader, type);
  const double moved = (static_cast<double>(resident.bytes) + out_bytes) / decoding;
  std::printf(
      "{\"bench\": \"gpu_cvc\", \"device\": \"%s\", \"compression\": \"%s\", \"output\": \"%s\", "
      "\"rows\": %llu, \"dimension\": %llu, \"stored_bytes\": %llu, \"output_bytes\": %.0f, "
      "\"decode_seconds\": %.6f, \"decode_output_gb_s\": %.2f, \"decode_moved_gb_s\": %.2f, "
      "\"copy_gb_s\": %.2f, \"share_of_copy\": %.4f, \"read_seconds\": %.6f, "
      "\"read_output_gb_s\": %.2f, \"mapped_output_gb_s\": %.2f, \"threads\": %u, "
      "\"host_output_gb_s\": %.2f, \"mismatches\": %llu}\n",
      device.c_str(), std::string(name_of(compression)).c_str(), std::string(name_of(type)).c_str(),
      static_cast<unsigned long long>(rows), static_cast<unsigned long long>(options.dimension),
      static_cast<unsigned long long>(resident.bytes), out_bytes, decoding,
      out_bytes / decoding / 1e9, moved / 1e9, copying / 1e9, moved / copying, pinned,
      out_bytes / pinned / 1e9, mapped > 0 ? out_bytes / mapped / 1e9 : 0.0, options.threads,
      out_bytes / host / 1e9, static_cast<unsigned long long>(wrong));
  std::fflush(stdout);
}

void run(const Options& options) {
  int count = 0;
  const numpact::Status status = cuda::device_count().into(count);
  if (!status.ok() || count <= options.device) {
    const std::string why = status.ok() ? "there are too few" : status.message();
    std::printf("{\"bench\": \"gpu_cvc\", \"skipped\": \"no device: %s\"}\n", why.c_str());
    return;
  }
  check(cudaSetDevice(options.device));
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, options.device));
  const double copying = copy_bandwidth(options.repeats);
  for (const std::string& name : words_of(options.compressions)) {
    const auto compression = cvc::compression_of_name(name);
    if (!compression) stop("no compression " + name);
    const std::vector<std::byte> file = make_file(options, *compression);
    const cvc::Reader reader = cvc::Reader::create(file).value();
    for (const std::string& output : words_of(options.outputs)) {
      const auto type = cvc::dtype_of_name(output);
      if (!type) stop("no type " + output);
      measure(options, *compression, *type, reader, copying, properties.name);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(parse(argc, argv));
  } catch (const std::exception& error) {
    stop(error.what());
  }
  return 0;
}
