-- SPDX-License-Identifier: Apache-2.0
\echo Use "CREATE EXTENSION numpact" to load this file. \quit

-- An array of numbers as a Pco file. Levels 0 (fastest) to 12 (smallest).
CREATE FUNCTION pco_compress(numbers int2[], level int DEFAULT 8) RETURNS bytea
  AS 'MODULE_PATHNAME', 'numpact_compress_array' LANGUAGE C
  IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION pco_compress(numbers int4[], level int DEFAULT 8) RETURNS bytea
  AS 'MODULE_PATHNAME', 'numpact_compress_array' LANGUAGE C
  IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION pco_compress(numbers int8[], level int DEFAULT 8) RETURNS bytea
  AS 'MODULE_PATHNAME', 'numpact_compress_array' LANGUAGE C
  IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION pco_compress(numbers float4[], level int DEFAULT 8) RETURNS bytea
  AS 'MODULE_PATHNAME', 'numpact_compress_array' LANGUAGE C
  IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION pco_compress(numbers float8[], level int DEFAULT 8) RETURNS bytea
  AS 'MODULE_PATHNAME', 'numpact_compress_array' LANGUAGE C
  IMMUTABLE STRICT PARALLEL SAFE COST 1000;

-- All numbers of a file. The file has numbers of this type, or of a smaller one that fits.
CREATE FUNCTION pco_decompress_int2(file bytea) RETURNS int2[]
  AS 'MODULE_PATHNAME', 'numpact_decompress_int2' LANGUAGE C
  IMMUTABLE STRICT PARALLEL SAFE COST 100;
CREATE FUNCTION pco_decompress_int4(file bytea) RETURNS int4[]
  AS 'MODULE_PATHNAME', 'numpact_decompress_int4' LANGUAGE C
  IMMUTABLE STRICT PARALLEL SAFE COST 100;
CREATE FUNCTION pco_decompress_int8(file bytea) RETURNS int8[]
  AS 'MODULE_PATHNAME', 'numpact_decompress_int8' LANGUAGE C
  IMMUTABLE STRICT PARALLEL SAFE COST 100;
CREATE FUNCTION pco_decompress_float4(file bytea) RETURNS float4[]
  AS 'MODULE_PATHNAME', 'numpact_decompress_float4' LANGUAGE C
  IMMUTABLE STRICT PARALLEL SAFE COST 100;
CREATE FUNCTION pco_decompress_float8(file bytea) RETURNS float8[]
  AS 'MODULE_PATHNAME', 'numpact_decompress_float8' LANGUAGE C
  IMMUTABLE STRICT PARALLEL SAFE COST 100;

-- The numbers from the position first (from 1 on, as in arrays), at most count of them.
CREATE FUNCTION pco_decompress_int2(file bytea, first int8, count int8) RETURNS int2[]
  AS 'MODULE_PATHNAME', 'numpact_decompress_int2' LANGUAGE C
  IMMUTABLE STRICT PARALLEL SAFE COST 100;
CREATE FUNCTION pco_decompress_int4(file bytea, first int8, count int8) RETURNS int4[]
  AS 'MODULE_PATHNAME', 'numpact_decompress_int4' LANGUAGE C
  IMMUTABLE STRICT PARALLEL SAFE COST 100;
CREATE FUNCTION pco_decompress_int8(file bytea, first int8, count int8) RETURNS int8[]
  AS 'MODULE_PATHNAME', 'numpact_decompress_int8' LANGUAGE C
  IMMUTABLE STRICT PARALLEL SAFE COST 100;
CREATE FUNCTION pco_decompress_float4(file bytea, first int8, count int8) RETURNS float4[]
  AS 'MODULE_PATHNAME', 'numpact_decompress_float4' LANGUAGE C
  IMMUTABLE STRICT PARALLEL SAFE COST 100;
CREATE FUNCTION pco_decompress_float8(file bytea, first int8, count int8) RETURNS float8[]
  AS 'MODULE_PATHNAME', 'numpact_decompress_float8' LANGUAGE C
  IMMUTABLE STRICT PARALLEL SAFE COST 100;

-- What a file holds. The count is found without decoding.
CREATE FUNCTION pco_info(file bytea, OUT type text, OUT count int8, OUT bytes int8,
                         OUT format text)
  AS 'MODULE_PATHNAME', 'numpact_file_info_row' LANGUAGE C
  IMMUTABLE STRICT PARALLEL SAFE COST 100;
