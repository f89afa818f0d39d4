// SPDX-License-Identifier: Apache-2.0
// Every compression of CVC, rounded either way.
#include <string>

#include "digest/inputs.hpp"
#include "digest/items.hpp"
#include "numpact/cvc/reader.hpp"
#include "numpact/cvc/writer.hpp"

namespace numpact::digest {
namespace {

constexpr std::uint64_t kRows = 300;
constexpr std::uint64_t kDimension = 24;

Item written(std::string name, const cvc::WriteConfig& config, const cvc::Rows& rows) {
  Item item;
  item.name = std::move(name);
  try {
    cvc::Writer writer = cvc::Writer::create(item.bytes, config).value();
    throw_if_error(writer.append(rows));
    writer.finish().value();
  } catch (const Error& error) {
    item.error = to_string(error.kind());
  }
  return item;
}

// The values that a file decodes to are as fixed as its bytes.
Item read_back(const Item& file) {
  Item item;
  item.name = file.name + " decoded";
  try {
    cvc::Reader reader = cvc::Reader::create(std::span<const std::byte>(file.bytes)).value();
    for (const float value : reader.read_all<float>().value()) {
      auto bits = std::bit_cast<std::uint32_t>(value);
      for (int i = 0; i < 4; ++i, bits >>= 8) item.bytes.push_back(std::byte(bits & 0xff));
    }
  } catch (const Error& error) {
    item.error = to_string(error.kind());
  }
  return item;
}

struct Kind {
  cvc::Dtype dtype;
  NumberType numbers;  // that are its values
  const char* name;    // in items; float32 goes without saying
};

constexpr Kind kKinds[] = {
    {cvc::Dtype::kFloat32, NumberType::kF32, ""},
    {cvc::Dtype::kFloat16, NumberType::kF16, " float16"},
    {cvc::Dtype::kInt8, NumberType::kI8, " int8"},
    {cvc::Dtype::kUInt8, NumberType::kU8, " uint8"},
    {cvc::Dtype::kInt32, NumberType::kI32, " int32"},
    {cvc::Dtype::kInt64, NumberType::kI64, " int64"},
};

void add(const Kind& kind, Sort sort, unsigned threads, std::vector<Item>& items) {
  const std::vector<std::byte> values =
      numbers(kind.numbers, sort, kRows * kDimension, 77 + static_cast<unsigned>(sort));
  const cvc::Rows rows(kind.dtype, values.data(), kRows, kDimension);
  for (const cvc::Compression compression : cvc::kCompressions) {
    if (compression == cvc::Compression::kNone) continue;
    for (const cvc::Rounding rounding : {cvc::Rounding::kNearest, cvc::Rounding::kForSearch}) {
      cvc::WriteConfig config;
      config.compression = compression;
      config.rounding = rounding;
      config.chunk_rows = 90;
      config.threads = threads;
      const std::string name =
          std::string("cvc ") + std::string(name_of(compression)) +
          (rounding == cvc::Rounding::kNearest ? " nearest " : " for_search ") +
          kSortNames[static_cast<std::size_t>(sort)] + kind.name;
      items.push_back(written(name, config, rows));
      items.push_back(read_back(items.back()));
    }
  }
}

}  // namespace

std::vector<Item> cvc_items(Extent extent, unsigned threads) {
  std::vector<Item> items;
  for (const Sort sort : {Sort::kDecimal, Sort::kWalk}) {
    if (extent == Extent::kThreaded && sort != Sort::kWalk) continue;
    for (const Kind& kind : kKinds) {
      if (extent == Extent::kThreaded && kind.dtype != cvc::Dtype::kFloat32) continue;
      add(kind, sort, threads, items);
    }
  }
  return items;
}

}  // namespace numpact::digest
