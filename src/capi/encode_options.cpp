// SPDX-License-Identifier: Apache-2.0
// The caller's options of encoding.
#include <vector>

#include "base/try.hpp"
#include "capi/capi.hpp"
#include "numpact/encoding.hpp"

namespace numpact::internal::capi {
namespace {

Status make_paging(const numpact_encode_options& options, PagingSpec& paging) {
  if (options.page_counts != nullptr) {
    // The config may be copied.
    NUMPACT_TRY(ensure_memory(2 * std::uint64_t{options.page_count_count} * sizeof(std::size_t)));
    const std::size_t* const first = options.page_counts;
    paging = PagingSpec::exact(std::vector<std::size_t>(first, first + options.page_count_count));
  } else if (options.max_page_count != 0) {
    paging = PagingSpec::equal_pages_up_to(options.max_page_count);
  }
  return {};
}

}  // namespace

Status encode_config(numpact_context* context, const numpact_encode_options* options,
                     EncodeConfig& config) {
  numpact_encode_options own;
  numpact_encode_options_init(&own);
  NUMPACT_TRY(take_struct(options, own));
  config.level = own.level;
  if (own.mode != nullptr) NUMPACT_TRY(parse_mode_spec(own.mode).into(config.mode));
  if (own.delta != nullptr) NUMPACT_TRY(parse_delta_spec(own.delta).into(config.delta));
  if (own.format < NUMPACT_FORMAT_1 || own.format > NUMPACT_FORMAT_4_1) {
    return Status(
        ErrorKind::kInvalidArgument,
        "there is no such format: they are NUMPACT_FORMAT_1 (0) to NUMPACT_FORMAT_4_1 (4)");
  }
  config.compatibility = static_cast<Compatibility>(own.format);
  config.favor_decode_speed = own.favor_decode_speed != 0;
  config.decode_weight = static_cast<float>(own.decode_weight);
  NUMPACT_TRY(make_paging(own, config.paging));
  NUMPACT_TRY(make_trailer_spec(own.trailer, own.restart_log, config.trailer));
  if (own.recipe != nullptr) config.recipe = recipe_in(own.recipe);
  if (own.max_size != 0) config.max_bytes = own.max_size;
  const DecodeConfig hooks = decode_config(context);
  config.progress = hooks.progress;
  config.executor = hooks.executor;
  return {};
}

Status make_trailer_spec(std::int32_t kind, unsigned restart_log, TrailerSpec& spec) {
  switch (kind) {
    case NUMPACT_TRAILER_NONE:
      spec = {};
      return {};
    case NUMPACT_TRAILER_INDEX:
      spec = TrailerSpec::index();
      return {};
    case NUMPACT_TRAILER_RESTARTS:
      spec = TrailerSpec::restarts(restart_log);
      return {};
    default:
      return Status(
          ErrorKind::kInvalidArgument,
          "there is no such trailer: they are NUMPACT_TRAILER_NONE (0), _INDEX and _RESTARTS (2)");
  }
}

}  // namespace numpact::internal::capi

extern "C" {

void numpact_encode_options_init(numpact_encode_options* options) {
  *options = {};
  options->struct_size = sizeof *options;
  options->level = NUMPACT_DEFAULT_LEVEL;
  options->format = NUMPACT_FORMAT_4_1;
}

}  // extern "C"
