// SPDX-License-Identifier: Apache-2.0
// CVC rows to a GPU: gigabytes of output in a second against what the device copies in the same
// run. A line of JSON for each compression and output.
//   bench_gpu_cvc [--rows N] [--dimension D] [--threads N] [--compressions fp16,int8,...]
//                 [--outputs float32,...]
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "device.hpp"
#include "numpact/cuda.hpp"
#include "numpact/cvc.hpp"

namespace numpact::bench {
namespace {

constexpr std::uint64_t kMaxChunkRows = 100'000;
constexpr int kRounds = 5;

struct Options {
  std::uint64_t rows = 10'000'000;
  std::uint64_t dimension = 768;
  unsigned threads = std::min(16u, std::thread::hardware_concurrency());
  std::string compressions = "fp16,int8";
  std::string outputs = "float32";
};

Options parse(int argc, char** argv) {
  Options options;
  const std::map<std::string, std::function<void(const std::string&)>> takes = {
      {"--rows", [&](const std::string& value) { options.rows = std::stoull(value); }},
      {"--dimension", [&](const std::string& value) { options.dimension = std::stoull(value); }},
      {"--threads",
       [&](const std::string& value) {
         options.threads = static_cast<unsigned>(std::stoul(value));
       }},
      {"--compressions", [&](const std::string& value) { options.compressions = value; }},
      {"--outputs", [&](const std::string& value) { options.outputs = value; }}};
  for (int i = 1; i < argc; i += 2) {
    const auto found = takes.find(argv[i]);
    if (found == takes.end() || i + 1 == argc) stop(std::string(argv[i]) + ": no such option");
    found->second(argv[i + 1]);
  }
  return options;
}

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> words;
  std::stringstream text(list);
  for (std::string word; std::getline(text, word, ',');) words.push_back(word);
  return words;
}

// Chunks of the same rows: the device cannot know.
std::vector<std::byte> make_file(const Options& options, cvc::Compression compression) {
  const std::uint64_t chunk_rows = std::min(kMaxChunkRows, options.rows);
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
    throw_if_error(reader.read({&rows, 1}, {&target, 1}, {}).status());
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
      throw_if_error(reader.stored_slice(i, 0).into(slice));
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

void measure(const Options& options, const std::string& name, cvc::Dtype type,
             const cvc::Reader& reader, double copying) {
  const std::uint64_t rows = reader.rows();
  const double out_bytes = static_cast<double>(rows * options.dimension * cvc::size_of(type));
  const DeviceBytes memory(static_cast<std::size_t>(out_bytes));
  check(cudaMemset(memory.data, 0xa5, memory.size));
  const cuda::DeviceRows out{type, memory.data, rows, options.dimension, 0};
  const cuda::Queue queue{0, nullptr};
  cuda::CvcDecoder decoder(0, std::size_t{64} << 20);
  const cvc::RowRange all{0, rows};
  cuda::CvcConfig config;
  config.threads = options.threads;
  const double reading = host_seconds(kRounds, [&] {
    throw_if_error(decoder.read(reader, {&all, 1}, 0, out, queue, config));
  });
  std::uint64_t wrong = mismatches(reader, out);
  check(cudaMemset(memory.data, 0xa5, memory.size));
  const Resident resident(reader);
  const double decoding = device_seconds(
      kRounds, [&] { throw_if_error(decoder.decode_resident(resident.rows, out, queue)); });
  throw_if_error(decoder.finish());
  wrong += mismatches(reader, out);
  const double moved = (static_cast<double>(resident.bytes) + out_bytes) / decoding;
  std::printf(
      "{\"compression\": \"%s\", \"output\": \"%s\", \"rows\": %llu, \"stored_bytes\": %llu, "
      "\"decode_output_gb_s\": %.2f, \"copy_gb_s\": %.2f, \"share_of_copy\": %.4f, "
      "\"read_output_gb_s\": %.2f, \"mismatches\": %llu}\n",
      name.c_str(), std::string(name_of(type)).c_str(), static_cast<unsigned long long>(rows),
      static_cast<unsigned long long>(resident.bytes), out_bytes / decoding / 1e9, copying / 1e9,
      moved / copying, out_bytes / reading / 1e9, static_cast<unsigned long long>(wrong));
  std::fflush(stdout);
}

void run(const Options& options) {
  int count = 0;
  const Status status = cuda::device_count().into(count);
  if (!status.ok() || count == 0) stop(std::string("no GPU: ") + status.what(), kNoGpu);
  const double copying = copy_bandwidth();
  for (const std::string& name : words_of(options.compressions)) {
    const auto compression = cvc::compression_of_name(name);
    if (!compression) stop("no compression " + name);
    const std::vector<std::byte> file = make_file(options, *compression);
    const cvc::Reader reader = cvc::Reader::create(file).value();
    for (const std::string& output : words_of(options.outputs)) {
      const auto type = cvc::dtype_of_name(output);
      if (!type) stop("no type " + output);
      measure(options, name, *type, reader, copying);
    }
  }
}

}  // namespace
}  // namespace numpact::bench

int main(int argc, char** argv) {
  try {
    numpact::bench::run(numpact::bench::parse(argc, argv));
  } catch (const std::exception& error) {
    numpact::bench::stop(error.what());
  }
  return 0;
}
