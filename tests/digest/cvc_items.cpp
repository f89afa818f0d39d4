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
    cvc::Writer writer(item.bytes, config);
    writer.append(rows);
    writer.finish();
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
    cvc::Reader reader(std::span<const std::byte>(file.bytes));
    for (const float value : reader.read_all<float>()) {
      auto bits = std::bit_cast<std::uint32_t>(value);
      for (int i = 0; i < 4; ++i, bits >>= 8) item.bytes.push_back(std::byte(bits & 0xff));
    }
  } catch (const Error& error) {
    item.error = to_string(error.kind());
  }
  return item;
}

}  // namespace

std::vector<Item> cvc_items(Extent extent, unsigned threads) {
  std::vector<Item> items;
  for (const Sort sort : {Sort::kDecimal, Sort::kWalk}) {
    if (extent == Extent::kThreaded && sort != Sort::kWalk) continue;
    const std::vector<std::byte> values =
        numbers(NumberType::kF32, sort, kRows * kDimension, 77 + static_cast<unsigned>(sort));
    const cvc::Rows rows(cvc::Dtype::kFloat32, values.data(), kRows, kDimension);
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
            kSortNames[static_cast<std::size_t>(sort)];
        items.push_back(written(name, config, rows));
        items.push_back(read_back(items.back()));
      }
    }
  }
  return items;
}

}  // namespace numpact::digest
