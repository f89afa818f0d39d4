// SPDX-License-Identifier: Apache-2.0
// The contents of a file and the reasons for its size, as dictionaries; numpact/_inspect makes
// objects of them.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "bindings.hpp"
#include "buffers.hpp"
#include "config.hpp"
#include "contexts.hpp"
#include "numpact/estimate.hpp"
#include "numpact/inspect.hpp"

namespace numpact::python {
namespace {

nb::dict describe(const LatentVariableInfo& variable) {
  nb::list bins;
  for (const BinInfo& bin : variable.bins) {
    bins.append(nb::make_tuple(bin.weight, bin.lower, bin.offset_bits));
  }
  nb::dict out;
  out["variable"] = to_string(variable.variable);
  out["latent_bits"] = variable.latent_bits;
  out["ans_size_log"] = variable.ans_size_log;
  out["delta_encoded"] = variable.delta_encoded;
  out["bins"] = bins;
  out["stored"] = variable.stored;
  out["meta_bits"] = variable.meta_bits;
  out["state_bits"] = variable.state_bits;
  out["code_bits"] = variable.code_bits;
  out["offset_bits"] = variable.offset_bits;
  return out;
}

nb::dict describe(const ChunkInfo& chunk) {
  nb::list variables;
  for (const LatentVariableInfo& variable : chunk.variables) variables.append(describe(variable));
  nb::list dict;
  if (const auto* mode = std::get_if<DictInfo>(&chunk.mode_info)) {
    for (const std::uint64_t entry : mode->entries) dict.append(entry);
  }
  nb::dict out;
  out["type"] = name_or_none(chunk.type);
  out["count"] = chunk.count;
  out["offset"] = chunk.offset;
  out["meta_bytes"] = chunk.meta_bytes;
  out["page_bytes"] = chunk.page_bytes;
  out["mode"] = chunk.mode_text();
  out["delta"] = chunk.delta_text();
  out["dict"] = dict;
  out["variables"] = variables;
  return out;
}

// Maximum bytes of the chunk objects, in addition to the size of the file.
constexpr std::uint64_t kListedBytes = std::uint64_t{2} << 20;

// Approximate bytes of the Python objects of a chunk and of a bin.
constexpr std::uint64_t kChunkBytes = 2400;
constexpr std::uint64_t kBinBytes = 400;

// All chunks that are described, as long as their objects take at most max_bytes.
nb::dict describe(const FileInfo& info, std::uint64_t max_bytes) {
  nb::list chunks;
  for (const ChunkInfo& chunk : info.chunks) {
    std::uint64_t bytes = kChunkBytes;
    if (const auto* mode = std::get_if<DictInfo>(&chunk.mode_info)) {
      bytes += kBinBytes / 8 * mode->entries.size();
    }
    for (const LatentVariableInfo& variable : chunk.variables) {
      bytes += kBinBytes * variable.bins.size();
    }
    if (bytes > max_bytes) break;
    max_bytes -= bytes;
    chunks.append(describe(chunk));
  }
  nb::dict out;
  out["standalone_version"] = info.header.standalone_version;
  out["format_version"] = nb::make_tuple(info.header.format_major, info.header.format_minor);
  out["type"] = name_or_none(info.header.number_type);
  out["uniform_type"] = name_or_none(info.header.uniform_type);
  out["n_hint"] = info.header.n_hint;
  out["chunk_count"] = info.chunk_count;
  out["count"] = info.count;
  out["file_bytes"] = info.file_bytes;
  out["trailing_bytes"] = info.trailing_bytes;
  out["trailer"] = to_string(info.trailer);
  out["restart_every"] = restart_distance(info.restart_log);
  out["chunks"] = chunks;
  return out;
}

nb::dict describe(const EntropyBound& bound) {
  nb::dict out;
  out["bits"] = bound.bits;
  out["count"] = bound.count;
  out["distinct"] = bound.distinct;
  return out;
}

nb::dict describe(const SizeParts& parts) {
  nb::dict out;
  out["framing"] = parts.framing;
  out["choices"] = parts.choices;
  out["bins"] = parts.bins;
  out["delta_states"] = parts.delta_states;
  out["ans_states"] = parts.ans_states;
  out["codes"] = parts.codes;
  out["offsets"] = parts.offsets;
  out["padding"] = parts.padding;
  return out;
}

nb::dict describe(const CandidateInfo& candidate) {
  nb::dict out;
  out["mode"] = candidate.mode_text;
  out["delta"] = candidate.delta_text;
  out["estimated_bits"] = candidate.estimated_bits;
  out["error_bits"] = candidate.error_bits;
  out["bytes"] = candidate.bytes;
  out["chosen"] = candidate.is_chosen;
  out["outcome"] = to_string(candidate.outcome);
  return out;
}

nb::dict describe(const RunExplanation& run) {
  nb::dict out;
  out["first_chunk"] = run.first_chunk;
  out["chunk_count"] = run.chunk_count;
  out["single_bits"] = run.single_bits;
  out["single_error_bits"] = run.single_error_bits;
  out["segment_bits"] = run.segment_bits;
  out["segment_error_bits"] = run.segment_error_bits;
  out["segment_count"] = run.segment_count;
  out["segments"] = to_string(run.segments);
  return out;
}

nb::dict describe(const ChunkInfo& info, const ChunkExplanation& chunk) {
  nb::dict latents;
  for (std::size_t i = 0; i < chunk.latents.size(); ++i) {
    latents[to_string(info.variables[i].variable)] = describe(chunk.latents[i]);
  }
  nb::list candidates;
  for (const CandidateInfo& candidate : chunk.candidates) candidates.append(describe(candidate));
  nb::dict out;
  out["count"] = info.count;
  out["bytes"] = info.meta_bytes + info.page_bytes;
  out["mode"] = info.mode_text();
  out["delta"] = info.delta_text();
  out["parts"] = describe(parts_of(info));
  out["entropy"] = describe(chunk.numbers);
  out["latents"] = latents;
  out["candidates"] = candidates;
  out["fallback"] = chunk.is_fallback;
  return out;
}

nb::dict explain(const ConstArray& array, unsigned level, const std::string& mode,
                 const std::string& delta, nb::handle paging, nb::object callback,
                 std::string_view compat, float decode_weight) {
  const NumberView numbers = numbers_of(array);
  EncodeConfig config = encode_config(level, mode, delta, paging);
  set_reading(config, compat, decode_weight);
  PythonProgress progress(std::move(callback));
  config.progress = progress.function();
  Explanation explanation;
  run(progress, [&] { return explain(numbers, config).into(explanation); });
  nb::list chunks;
  for (std::size_t i = 0; i < explanation.chunks.size(); ++i) {
    chunks.append(describe(explanation.file.chunks[i], explanation.chunks[i]));
  }
  nb::dict out;
  out["file"] = describe(explanation.file, ~std::uint64_t{0});
  out["parts"] = describe(parts_of(explanation.file));
  out["entropy"] = describe(explanation.numbers);
  out["chunks"] = chunks;
  nb::list runs;
  for (const RunExplanation& run_of : explanation.runs) runs.append(describe(run_of));
  out["runs"] = runs;
  return out;
}

// Bytes, error, mode, delta.
using EstimateTuple = std::tuple<std::uint64_t, std::uint64_t, std::string, std::string>;

EstimateTuple estimate_size(const ConstArray& array, unsigned level, const std::string& mode,
                            const std::string& delta, nb::handle paging, std::string_view compat,
                            float decode_weight, std::optional<unsigned> trailer) {
  const NumberView numbers = numbers_of(array);
  EncodeConfig config = encode_config(level, mode, delta, paging);
  set_reading(config, compat, decode_weight);
  config.trailer = trailer_spec(trailer);
  SizeEstimate found;
  PythonProgress progress;
  run(progress, [&] { return numpact::estimate_size(numbers, config).into(found); });
  return {found.bytes, found.error_bytes, found.mode_text, found.delta_text};
}

nb::dict inspect(nb::handle source, unsigned threads, std::optional<std::uint64_t> max_output) {
  const Bytes bytes(source);
  DecodeConfig config;
  config.limits = decode_limits(max_output);
  set_threads(config, threads, bytes.span().size() >> 12);
  PythonProgress progress;
  config.progress = progress.function();
  FileInfo info;
  run(progress, [&] { return inspect_into(bytes.span(), info, config); });
  // With the library's descriptions within 4 MiB and twice the file.
  return describe(info, kListedBytes + bytes.span().size());
}

}  // namespace

void bind_inspect(nb::module_& m) {
  m.def("explain", &explain, nb::arg("array"), nb::arg("level"), nb::arg("mode"), nb::arg("delta"),
        nb::arg("paging").none(), nb::arg("progress").none() = nb::none(),
        nb::arg("compat") = "4.1", nb::arg("decode_weight") = 0.0f);
  m.def("estimate_size", &estimate_size, nb::arg("array"), nb::arg("level"), nb::arg("mode"),
        nb::arg("delta"), nb::arg("paging").none(), nb::arg("compat") = "4.1",
        nb::arg("decode_weight") = 0.0f, nb::arg("trailer").none() = nb::none());
  m.def("inspect", &inspect, nb::arg("source").none(), nb::arg("threads") = 1,
        nb::arg("max_output").none() = nb::none());
}

}  // namespace numpact::python
