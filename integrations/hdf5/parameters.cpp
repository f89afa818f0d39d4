// SPDX-License-Identifier: Apache-2.0
#include "parameters.hpp"

#include <algorithm>
#include <limits>

#include "plugin_abi.hpp"

namespace numpact_hdf5 {

namespace {

// Numbers up to which the encoder divides a chunk where the data changes, at every level; the same
// rule as in numpact.zarr.
constexpr unsigned kMaxAutomatic = 1U << 18;
constexpr unsigned kMaxPage = 1U << 24;  // numbers, the format's limit

unsigned order_of(unsigned encoding) { return encoding >> kOrderShift & 7; }
Delta delta_of(unsigned encoding) { return static_cast<Delta>(encoding >> kDeltaShift & 3); }

}  // namespace

const char* read_user_parameters(std::size_t count, const unsigned* values,
                                 Parameters& parameters) {
  const unsigned level = count > kLevelAt ? values[kLevelAt] : unsigned{NUMPACT_DEFAULT_LEVEL};
  const unsigned encoding = count > kEncodingAt ? values[kEncodingAt] : 0;
  if (level > NUMPACT_MAX_LEVEL) return "the level, the first parameter, is above 12";
  if ((encoding & ~kEncodingBits) != 0 ||
      (delta_of(encoding) != Delta::kConsecutive && order_of(encoding) != 0))
    return "the encoding, the second parameter, is invalid";
  parameters.level = level;
  parameters.encoding = encoding;
  parameters.page = count > kPageAt ? values[kPageAt] : 0;
  return nullptr;
}

const char* read_dataset_parameters(std::size_t count, const unsigned* values,
                                    Parameters& parameters) {
  if (count < kParameterCount) return "the dataset was created without this filter";
  if (values[kTypeAt] == NUMPACT_NO_TYPE) return "the numbers have a type that Pco lacks";
  if (values[kTypeAt] > std::numeric_limits<numpact_type>::max() ||
      numpact_type_size(static_cast<numpact_type>(values[kTypeAt])) == 0 ||
      (values[kLayoutAt] & ~kLayoutBits) != 0)
    return "the parameters are of a later version or damaged";
  const auto type = static_cast<numpact_type>(values[kTypeAt]);
  // Only bytes may be of any number.
  const bool is_any_size = (values[kLayoutAt] & kAnySize) != 0;
  if ((is_any_size && type != NUMPACT_U8) || values[kSizeAt] == 0 ||
      values[kSizeAt] % numpact_type_size(type) != 0)
    return "the parameters are damaged: no such chunks";
  parameters.type = type;
  parameters.layout = values[kLayoutAt];
  parameters.size = values[kSizeAt];
  return nullptr;
}

numpact_encode_options encode_options(const Parameters& parameters, std::size_t count,
                                      DeltaText& delta_text) {
  numpact_encode_options options;
  numpact_encode_options_init(&options);
  options.level = parameters.level;
  if ((parameters.encoding & kClassicMode) != 0) options.mode = "classic";
  switch (delta_of(parameters.encoding)) {
    case Delta::kAuto:
      break;
    case Delta::kNone:
      options.delta = "none";
      break;
    case Delta::kConsecutive:
      delta_text = std::to_array("consecutive=0");
      delta_text[delta_text.size() - 2] = static_cast<char>('0' + order_of(parameters.encoding));
      options.delta = delta_text.data();
      break;
    case Delta::kLookback:
      options.delta = "lookback";
      break;
  }
  options.favor_decode_speed = (parameters.encoding & kFavorDecodeSpeed) != 0;
  if (parameters.page != 0 && count > std::min(parameters.page, kMaxAutomatic))
    options.max_page_count = std::min(parameters.page, kMaxPage);
  return options;
}

void FiltersInFront::add(int filter_id) {
  constexpr unsigned kChecksumBytes = 4;
  is_any_ = true;
  if (filter_id == kShuffleFilter) return;
  if (filter_id == kChecksumFilter)
    added_bytes_ += kChecksumBytes;
  else
    is_size_known_ = false;
}

void FiltersInFront::describe(numpact_type type, bool is_big_endian, unsigned chunk_size,
                              Parameters& parameters) const {
  parameters.type = is_any_ ? numpact_type{NUMPACT_U8} : type;
  parameters.layout = 0;
  if (!is_any_ && is_big_endian) parameters.layout |= kBigEndianLayout;
  if (!is_size_known_ || chunk_size > std::numeric_limits<unsigned>::max() - added_bytes_) {
    parameters.layout |= kAnySize;
    parameters.size = chunk_size;
  } else {
    parameters.size = chunk_size + added_bytes_;
  }
}

}  // namespace numpact_hdf5
