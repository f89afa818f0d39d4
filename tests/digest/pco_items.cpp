// SPDX-License-Identifier: Apache-2.0
// Every type, mode, delta and some levels; pages by hand and by the library; wrapped chunks share
// all but the framing.

#include "digest/inputs.hpp"
#include "digest/items.hpp"
#include "numpact/pco.hpp"

namespace numpact::digest {
namespace {

struct NamedMode {
  const char* name;
  ModeSpec spec;
};
struct NamedDelta {
  const char* name;
  DeltaSpec spec;
};

std::vector<NamedMode> modes(NumberType type) {
  std::vector<NamedMode> named = {{"auto", ModeSpec::automatic()},
                                  {"classic", ModeSpec::classic()},
                                  {"dict", ModeSpec::try_dict()}};
  if (kind_of(type) == NumberKind::kFloat) {
    named.push_back({"float_mult", ModeSpec::try_float_mult(0.01)});
    named.push_back({"float_quant", ModeSpec::try_float_quant(5)});
  } else {
    named.push_back({"int_mult", ModeSpec::try_int_mult(5)});
  }
  return named;
}

std::vector<NamedDelta> deltas(NumberType type) {
  std::vector<NamedDelta> named = {{"auto", DeltaSpec::automatic()},
                                   {"none", DeltaSpec::none()},
                                   {"consecutive2", DeltaSpec::try_consecutive(2)},
                                   {"lookback", DeltaSpec::try_lookback()}};
  if (size_of(type) <= 4) named.push_back({"conv3", DeltaSpec::try_conv1(3)});
  return named;
}

// Whether the file gives the numbers back.
bool comes_back(const NumberView& numbers, const std::vector<std::byte>& file, unsigned threads) {
  const std::size_t size = numbers.count * size_of(numbers.type);
  std::vector<std::byte> back(size);
  DecodeConfig config;
  config.threads = threads;
  const Result<std::size_t> count =
      decompress_into(file, {numbers.type, back.data(), numbers.count}, config);
  return count.ok() && *count == numbers.count &&
         (size == 0 || std::memcmp(back.data(), numbers.data, size) == 0);
}

Item encoded(std::string name, NumberType type, Sort sort, std::size_t n,
             const EncodeConfig& config) {
  Item item;
  item.name = std::move(name);
  const std::vector<std::byte> made = numbers(type, sort, n, n + static_cast<unsigned>(sort));
  const NumberView view(type, made.data(), n);
  const Status status = compress(view, config).into(item.bytes);
  if (!status.ok()) {
    item.error = to_string(status.kind());
  } else if (!comes_back(view, item.bytes, config.threads)) {
    item.error = "does not come back";
  }
  return item;
}

void add_specs(NumberType type, std::vector<Item>& items) {
  std::size_t turn = static_cast<std::size_t>(type);
  for (const NamedMode& mode : modes(type)) {
    for (const NamedDelta& delta : deltas(type)) {
      for (const unsigned level : {0u, 4u, 8u, 12u}) {
        // Numbers that suit the choice, and others in turn.
        const std::size_t sort = turn++ % std::size(kSorts);
        EncodeConfig config;
        config.level = level;
        config.mode = mode.spec;
        config.delta = delta.spec;
        std::string name = std::string("pco ") + std::string(name_of(type)) + " " + mode.name +
                           " " + delta.name + " " + std::to_string(level) + " " + kSortNames[sort];
        items.push_back(encoded(std::move(name), type, kSorts[sort], 1500, config));
      }
    }
  }
}

void add_automatic(NumberType type, std::vector<Item>& items) {
  for (std::size_t sort = 0; sort < std::size(kSorts); ++sort) {
    for (const unsigned level : {2u, 8u}) {
      EncodeConfig config;
      config.level = level;
      std::string name = std::string("pco ") + std::string(name_of(type)) + " automatic " +
                         std::to_string(level) + " " + kSortNames[sort];
      items.push_back(encoded(std::move(name), type, kSorts[sort], 5000, config));
    }
  }
}

// Automatic paging cuts where the numbers change; equal pages are what threads share.
void add_threaded(NumberType type, unsigned threads, std::vector<Item>& items) {
  EncodeConfig config;
  config.threads = threads;
  const std::string start = std::string("pco ") + std::string(name_of(type));
  config.paging = PagingSpec::equal_pages_up_to(700);
  items.push_back(encoded(start + " chunks decimal", type, Sort::kDecimal, 10000, config));
  config.paging = PagingSpec::automatic();
  items.push_back(encoded(start + " paged regimes", type, Sort::kRegimes, 40000, config));
  items.push_back(encoded(start + " long regimes", type, Sort::kRegimes, 70000, config));
  config.level = 11;  // where cuts are found by encoding
  items.push_back(encoded(start + " refined regimes", type, Sort::kRegimes, 12000, config));
}

}  // namespace

std::vector<Item> pco_items(Extent extent, unsigned threads) {
  std::vector<Item> items;
  for (const NumberType type : kNumberTypes) {
    if (extent == Extent::kAll) {
      add_specs(type, items);
      add_automatic(type, items);
    }
    add_threaded(type, threads, items);
  }
  return items;
}

}  // namespace numpact::digest
