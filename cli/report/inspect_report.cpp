// SPDX-License-Identifier: Apache-2.0
#include "report/inspect_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "report/text_table.hpp"
#include "text/printable.hpp"

namespace numpact::cli {
namespace {

using Align = TextTable::Align;

std::string bits_per_number(std::uint64_t bytes, std::uint64_t count) {
  if (count == 0) return "-";
  return fmt::format("{:.3f}", 8 * static_cast<double>(bytes) / static_cast<double>(count));
}

std::string type_text(const FileHeader& header) {
  if (!header.number_type) return "none";
  return fmt::format("{}{}", name_of(*header.number_type),
                     header.uniform_type ? "" : " (of the first chunk)");
}

// Approximate size of a chunk or bin in the report.
constexpr std::uint64_t kChunkTextBytes = 1200;
constexpr std::uint64_t kBinTextBytes = 120;

std::string ratio_text(std::uint64_t raw, std::uint64_t bytes) {
  return fmt::format("{:.3f}", static_cast<double>(raw) / static_cast<double>(bytes));
}

std::string trailer_text(const FileInfo& info) {
  const std::string size = fmt::format("{} bytes", grouped(info.trailing_bytes));
  if (info.trailer == TrailerState::kUnrecognised) return size + " follow that are none";
  if (info.trailer == TrailerState::kDamaged) return size + ", damaged";
  if (!info.restart_log) return size + ", index and checksums";
  return fmt::format("{}, index, checksums, restart points every {} numbers", size,
                     std::uint64_t{1} << *info.restart_log);
}

std::string head_report(const std::string& file, const FileInfo& info) {
  const FileHeader& header = info.header;
  std::string text;
  const auto line = [&](std::string_view name, const std::string& value) {
    text += fmt::format("{:<10}{}\n", name, value);
  };
  line("file", one_line(file));
  line("format", fmt::format("Pco {}.{}, standalone {}", header.format_major, header.format_minor,
                             header.standalone_version));
  line("type", type_text(header));
  line("numbers", fmt::format("{} (the header says {})", grouped(info.count), header.n_hint));
  line("bytes", fmt::format("{}, {} bits a number, ratio {}", grouped(info.file_bytes),
                            bits_per_number(info.file_bytes, info.count),
                            ratio_text(info.raw_bytes, info.file_bytes)));
  if (info.trailing_bytes > 0) line("trailer", trailer_text(info));
  line("chunks", std::to_string(info.chunk_count));
  return text;
}

std::string bins_report(const LatentVariableInfo& variable) {
  TextTable table({">weight", ">lower", ">offset bits"});
  for (const BinInfo& bin : variable.bins) {
    table.add_row(
        {std::to_string(bin.weight), std::to_string(bin.lower), std::to_string(bin.offset_bits)});
  }
  return fmt::format("      bins of {}\n", to_string(variable.variable)) + table.text(8);
}

std::string chunk_report(std::size_t index, const ChunkInfo& chunk, bool bins) {
  std::string text = fmt::format(
      "\nchunk {}: {} {} numbers at byte {}, mode {}, delta {}\n"
      "  metadata {} bytes, page {} bytes, {} bits a number\n",
      index, grouped(chunk.count), name_of(chunk.type), chunk.offset, chunk.mode_text(),
      chunk.delta_text(), grouped(chunk.meta_bytes), grouped(chunk.page_bytes),
      bits_per_number(chunk.meta_bytes + chunk.page_bytes, chunk.count));
  if (const auto* dict = std::get_if<DictInfo>(&chunk.mode_info)) {
    text += fmt::format("  dictionary of {} entries\n", dict->entries.size());
  }
  if (const auto* delta = std::get_if<LookbackInfo>(&chunk.delta_info)) {
    text += fmt::format("  lookback window 2^{}, state 2^{}\n", delta->window_n_log,
                        delta->state_n_log);
  }
  if (const auto* delta = std::get_if<Conv1Info>(&chunk.delta_info)) {
    text += fmt::format("  weights {} with bias {}, over 2^{}\n", fmt::join(delta->weights, " "),
                        delta->bias, delta->quantization);
  }
  TextTable table({"variable", ">bits", ">bins", ">size log", ">latents", ">code bits",
                   ">offset bits", ">state bits", ">bits a latent"});
  for (const LatentVariableInfo& variable : chunk.variables) {
    const std::uint64_t bits = variable.code_bits + variable.offset_bits + variable.state_bits;
    const std::string share = variable.stored == 0
                                  ? "-"
                                  : fmt::format("{:.3f}", static_cast<double>(bits) /
                                                              static_cast<double>(variable.stored));
    table.add_row({to_string(variable.variable), std::to_string(variable.latent_bits),
                   std::to_string(variable.bins.size()), std::to_string(variable.ans_size_log),
                   grouped(variable.stored), grouped(variable.code_bits),
                   grouped(variable.offset_bits), grouped(variable.state_bits), share});
  }
  text += table.text(2);
  if (bins) {
    for (const LatentVariableInfo& variable : chunk.variables) text += bins_report(variable);
  }
  return text;
}

// The value that most chunks have.
template <class TextOf>
std::string most_common(const FileInfo& info, TextOf&& text_of) {
  std::map<std::string, std::size_t> counts;
  for (const ChunkInfo& chunk : info.chunks) ++counts[text_of(chunk)];
  if (counts.empty()) return "-";
  const auto top = std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
    return a.second < b.second;
  });
  return top->first + (counts.size() > 1 ? "+" : "");
}

}  // namespace

std::size_t listed_chunks(const FileInfo& info, std::uint64_t chunk_bytes,
                          std::uint64_t bin_bytes) {
  // Together with the library's descriptions, of 1 MiB and half the file's size, this stays within
  // 4 MiB plus twice the file's size.
  std::uint64_t budget = (std::uint64_t{3} << 20) + info.file_bytes + info.file_bytes / 2;
  std::size_t listed = 0;
  for (const ChunkInfo& chunk : info.chunks) {
    std::uint64_t bytes = chunk_bytes;
    for (const LatentVariableInfo& variable : chunk.variables) {
      bytes += bin_bytes * variable.bins.size();
    }
    if (const auto* dict = std::get_if<DictInfo>(&chunk.mode_info)) {
      bytes += bin_bytes * dict->entries.size();
    }
    if (bytes > budget) break;
    budget -= bytes;
    ++listed;
  }
  return listed;
}

std::string common_mode(const FileInfo& info) {
  return most_common(info, [](const ChunkInfo& chunk) { return chunk.mode_text(); });
}

std::string common_delta(const FileInfo& info) {
  return most_common(info, [](const ChunkInfo& chunk) { return chunk.delta_text(); });
}

std::string info_report(const std::string& file, const FileInfo& info, bool bins) {
  std::string text = head_report(file, info);
  const std::size_t listed = listed_chunks(info, kChunkTextBytes, bins ? kBinTextBytes : 0);
  for (std::size_t i = 0; i < listed; ++i) text += chunk_report(i, info.chunks[i], bins);
  if (listed < info.chunk_count) {
    text += fmt::format("\nand {} chunks more that are not listed\n", info.chunk_count - listed);
  }
  return text;
}

std::string table_report(const std::string& folder, const Manifest& manifest,
                         const std::vector<FileInfo>& files,
                         const std::vector<std::uint64_t>& null_bytes,
                         const std::vector<std::uint64_t>& other_bytes) {
  TextTable table;
  table.add_column("column", Align::kLeft, 40);
  table.add_column("meaning", Align::kLeft);
  table.add_column("type", Align::kLeft);
  table.add_column("numbers", Align::kRight);
  if (!null_bytes.empty()) table.add_column("nulls", Align::kRight);
  table.add_column("bytes", Align::kRight);
  table.add_column("ratio", Align::kRight);
  table.add_column("mode", Align::kLeft);
  table.add_column("delta", Align::kLeft);
  std::uint64_t raw = 0;
  std::uint64_t bytes = std::accumulate(null_bytes.begin(), null_bytes.end(), std::uint64_t{0});
  for (std::size_t i = 0; i < files.size(); ++i) {
    const FileInfo& info = files[i];
    const Column column = column_of(manifest.columns[i]);
    raw += info.raw_bytes;
    bytes += info.file_bytes;
    for (const table::TextFile& texts : manifest.columns[i].text) bytes += texts.sum.bytes;
    const std::string meaning =
        manifest.columns[i].text.empty()
            ? describe(column.logical, column.type)
            : fmt::format("{} {}", manifest.columns[i].text[0].count, "texts");
    std::vector<std::string> cells = {column.name, meaning, std::string(name_of(column.type)),
                                      std::to_string(info.count)};
    if (!null_bytes.empty()) cells.push_back(std::to_string(manifest.columns[i].null_count));
    for (const std::string& cell :
         {std::to_string(info.file_bytes), ratio_text(info.raw_bytes, info.file_bytes),
          common_mode(info), common_delta(info)}) {
      cells.push_back(cell);
    }
    table.add_row(std::move(cells));
  }
  std::string text = fmt::format("folder    {}\n", one_line(folder));
  text += fmt::format("columns   {}, {} bytes, ratio {}\n", files.size(), grouped(bytes),
                      bytes == 0 ? "-" : ratio_text(raw, bytes));
  for (std::size_t i = 0; i < manifest.others.size(); ++i) {
    const ManifestOther& other = manifest.others[i];
    const bool is_exact = other.vectors == table::Vectors::kExact;
    const std::string lossy =
        is_exact ? "" : fmt::format(", lossy: {}", table::to_string(other.vectors));
    text += fmt::format("kept      {} ({}), {} rows, {} bytes{}\n", one_line(other.name),
                        one_line(other.type), other.rows, grouped(other_bytes[i]), lossy);
  }
  for (const SkippedColumn& column : manifest.skipped) {
    text += fmt::format("left out  {} ({})\n", one_line(column.name), one_line(column.type));
  }
  return text + "\n" + table.text();
}

}  // namespace numpact::cli
