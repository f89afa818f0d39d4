// SPDX-License-Identifier: Apache-2.0
#include "report/inspect_json.hpp"

#include "report/inspect_report.hpp"

namespace numpact::cli {
namespace {

// Approximate memory of a chunk or bin as JSON values and as text.
constexpr std::uint64_t kChunkJsonBytes = 6000;
constexpr std::uint64_t kBinJsonBytes = 600;

Json variable_json(const LatentVariableInfo& variable, bool bins) {
  Json json;
  json["variable"] = to_string(variable.variable);
  json["latent_bits"] = variable.latent_bits;
  json["delta_encoded"] = variable.delta_encoded;
  json["bins"] = variable.bins.size();
  json["ans_size_log"] = variable.ans_size_log;
  json["stored"] = variable.stored;
  json["meta_bits"] = variable.meta_bits;
  json["code_bits"] = variable.code_bits;
  json["offset_bits"] = variable.offset_bits;
  json["state_bits"] = variable.state_bits;
  if (!bins) return json;
  json["bin_list"] = Json::array();
  for (const BinInfo& bin : variable.bins) {
    json["bin_list"].push_back(
        Json{{"weight", bin.weight}, {"lower", bin.lower}, {"offset_bits", bin.offset_bits}});
  }
  return json;
}

Json mode_json(const ChunkInfo& chunk, bool bins) {
  Json json;
  json["name"] = to_string(chunk.mode());
  if (const auto* mode = std::get_if<IntMultInfo>(&chunk.mode_info)) json["base"] = mode->base;
  if (const auto* mode = std::get_if<FloatMultInfo>(&chunk.mode_info)) json["base"] = mode->base;
  if (const auto* mode = std::get_if<FloatQuantInfo>(&chunk.mode_info)) json["k"] = mode->k;
  if (const auto* mode = std::get_if<DictInfo>(&chunk.mode_info)) {
    json["entries"] = mode->entries.size();
    if (bins) json["entry_list"] = mode->entries;
  }
  return json;
}

Json delta_json(const ChunkInfo& chunk) {
  Json json;
  json["name"] = to_string(chunk.delta());
  if (const auto* delta = std::get_if<ConsecutiveInfo>(&chunk.delta_info)) {
    json["order"] = delta->order;
  }
  if (const auto* delta = std::get_if<LookbackInfo>(&chunk.delta_info)) {
    json["window_n_log"] = delta->window_n_log;
    json["state_n_log"] = delta->state_n_log;
  }
  if (const auto* delta = std::get_if<Conv1Info>(&chunk.delta_info)) {
    json["order"] = delta->weights.size();
    json["quantization"] = delta->quantization;
    json["bias"] = delta->bias;
    json["weights"] = delta->weights;
  }
  return json;
}

Json chunk_json(const ChunkInfo& chunk, bool bins) {
  Json json;
  json["type"] = name_of(chunk.type);
  json["count"] = chunk.count;
  json["offset"] = chunk.offset;
  json["meta_bytes"] = chunk.meta_bytes;
  json["page_bytes"] = chunk.page_bytes;
  json["mode_text"] = chunk.mode_text();
  json["delta_text"] = chunk.delta_text();
  json["mode"] = mode_json(chunk, bins);
  json["delta"] = delta_json(chunk);
  json["variables"] = Json::array();
  for (const LatentVariableInfo& variable : chunk.variables) {
    json["variables"].push_back(variable_json(variable, bins));
  }
  return json;
}

Json type_json(const std::optional<NumberType>& type) {
  return type ? Json(name_of(*type)) : Json();
}

}  // namespace

Json file_json(const FileInfo& info, bool bins, ListedChunks chunks) {
  Json json;
  json["standalone_version"] = info.header.standalone_version;
  json["format_version"] = {info.header.format_major, info.header.format_minor};
  json["number_type"] = type_json(info.header.number_type);
  json["uniform_type"] = type_json(info.header.uniform_type);
  json["n_hint"] = info.header.n_hint;
  json["count"] = info.count;
  json["header_bytes"] = info.header.size_bytes;
  json["file_bytes"] = info.file_bytes;
  json["trailing_bytes"] = info.trailing_bytes;
  json["trailer"] = to_string(info.trailer);
  json["restart_every"] = info.restart_log ? Json(std::uint64_t{1} << *info.restart_log) : Json();
  json["chunks"] = Json::array();
  const std::size_t listed = chunks == ListedChunks::kAll
                                 ? info.chunks.size()
                                 : listed_chunks(info, kChunkJsonBytes, bins ? kBinJsonBytes : 0);
  for (std::size_t i = 0; i < listed; ++i) {
    json["chunks"].push_back(chunk_json(info.chunks[i], bins));
  }
  if (listed < info.chunk_count) json["chunks_not_listed"] = info.chunk_count - listed;
  return json;
}

std::string info_json(const FileInfo& info, bool bins) { return dump(file_json(info, bins)); }

std::string table_json(const Manifest& manifest, const std::vector<FileInfo>& files, bool bins) {
  Json json = Json::parse(manifest_text(manifest, kManifestName));
  for (std::size_t i = 0; i < files.size(); ++i) {
    json["columns"][i]["contents"] = file_json(files[i], bins);
  }
  return dump(json);
}

}  // namespace numpact::cli
