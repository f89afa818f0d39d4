/* SPDX-License-Identifier: Apache-2.0 */
#include "pco_json.h"

#include <stdlib.h>
#include <string.h>

/* The limits of a manifest, of docs/format/table-folder.md. */
enum { MAX_DEPTH = 64, MAX_VALUES = 1 << 22 };

typedef struct parser {
  const char* at;
  const char* end;
  size_t values_left;
} parser;

static void skip_space(parser* p) {
  while (p->at < p->end && strchr(" \t\r\n", *p->at) != NULL && *p->at != '\0') p->at++;
}

static int take(parser* p, char expected) {
  if (p->at >= p->end || *p->at != expected) return 0;
  p->at++;
  return 1;
}

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

static int skip_string(parser* p) {
  if (!take(p, '"')) return 0;
  while (p->at < p->end) {
    const char c = *p->at++;
    if (c == '"') return 1;
    if ((unsigned char)c < 0x20) return 0;
    if (c != '\\') continue;
    if (p->at >= p->end) return 0;
    const char escaped = *p->at++;
    if (escaped == 'u') {
      for (int i = 0; i < 4; i++, p->at++) {
        if (p->at >= p->end || hex_digit(*p->at) < 0) return 0;
      }
    } else if (escaped == '\0' || strchr("\"\\/bfnrt", escaped) == NULL) {
      return 0;
    }
  }
  return 0;
}

static size_t skip_digits(parser* p) {
  const char* first = p->at;
  while (p->at < p->end && *p->at >= '0' && *p->at <= '9') p->at++;
  return (size_t)(p->at - first);
}

static int skip_number(parser* p) {
  (void)take(p, '-');
  if (take(p, '0')) {
    if (p->at < p->end && *p->at >= '0' && *p->at <= '9') return 0;
  } else if (skip_digits(p) == 0) {
    return 0;
  }
  if (take(p, '.') && skip_digits(p) == 0) return 0;
  if (take(p, 'e') || take(p, 'E')) {
    if (!take(p, '+')) (void)take(p, '-');
    if (skip_digits(p) == 0) return 0;
  }
  return 1;
}

static int skip_literal(parser* p) {
  static const char* const literals[] = {"true", "false", "null"};
  for (size_t i = 0; i < sizeof literals / sizeof *literals; i++) {
    const size_t size = strlen(literals[i]);
    if ((size_t)(p->end - p->at) >= size && memcmp(p->at, literals[i], size) == 0) {
      p->at += size;
      return 1;
    }
  }
  return 0;
}

static int skip_value(parser* p, int depth);

/* An array or object, behind its bracket. */
static int skip_members(parser* p, int depth, int is_object) {
  const char close = is_object ? '}' : ']';
  skip_space(p);
  if (take(p, close)) return 1;
  for (;;) {
    skip_space(p);
    if (is_object) {
      if (!skip_string(p)) return 0;
      skip_space(p);
      if (!take(p, ':')) return 0;
    }
    if (!skip_value(p, depth + 1)) return 0;
    skip_space(p);
    if (take(p, close)) return 1;
    if (!take(p, ',')) return 0;
  }
}

static int skip_value(parser* p, int depth) {
  skip_space(p);
  if (p->at >= p->end || depth > MAX_DEPTH || p->values_left == 0) return 0;
  p->values_left--;
  switch (*p->at) {
    case '{':
    case '[': {
      const int is_object = *p->at++ == '{';
      return skip_members(p, depth, is_object);
    }
    case '"':
      return skip_string(p);
    case 't':
    case 'f':
    case 'n':
      return skip_literal(p);
    default:
      return skip_number(p);
  }
}

int pco_json_check(const char* text, size_t size, pco_json* root) {
  parser p = {text, text + size, MAX_VALUES};
  skip_space(&p);
  root->at = p.at;
  root->end = p.end;
  /* The outermost value is level 1. */
  if (!skip_value(&p, 1)) return 0;
  skip_space(&p);
  return p.at == p.end;
}

static int begins_with(pco_json value, char c) { return value.at != NULL && *value.at == c; }

int pco_json_is_object(pco_json value) { return begins_with(value, '{'); }
int pco_json_is_array(pco_json value) { return begins_with(value, '['); }
int pco_json_is_string(pco_json value) { return begins_with(value, '"'); }

static pco_json value_at(parser* p) {
  skip_space(p);
  const pco_json value = {p->at, p->end};
  return value;
}

static const pco_json none = {NULL, NULL};

pco_json pco_json_find(pco_json object, const char* key) {
  pco_json found = none;
  if (!pco_json_is_object(object)) return found;
  const size_t key_size = strlen(key);
  parser p = {object.at + 1, object.end, MAX_VALUES};
  skip_space(&p);
  if (take(&p, '}')) return found;
  do {
    skip_space(&p);
    const char* name = p.at + 1;
    if (!skip_string(&p)) return none;
    const size_t name_size = (size_t)(p.at - name) - 1;
    skip_space(&p);
    if (!take(&p, ':')) return none;
    /* A name with escapes equals no key: the keys have only letters. */
    if (name_size == key_size && memcmp(name, key, key_size) == 0) found = value_at(&p);
    if (!skip_value(&p, 1)) return none;
    skip_space(&p);
  } while (take(&p, ','));
  return found;
}

pco_json pco_json_first(pco_json array) {
  if (!pco_json_is_array(array)) return none;
  parser p = {array.at + 1, array.end, MAX_VALUES};
  const pco_json first = value_at(&p);
  return first.at >= first.end || *first.at == ']' ? none : first;
}

pco_json pco_json_next(pco_json element) {
  parser p = {element.at, element.end, MAX_VALUES};
  if (element.at == NULL || !skip_value(&p, 1)) return none;
  skip_space(&p);
  return take(&p, ',') ? value_at(&p) : none;
}

int pco_json_count(pco_json value, uint64_t* count) {
  static const uint64_t limit = (uint64_t)1 << 62;
  if (value.at == NULL) return 0;
  const char* at = value.at;
  uint64_t sum = 0;
  for (; at < value.end && *at >= '0' && *at <= '9'; at++) {
    sum = 10 * sum + (uint64_t)(*at - '0');
    if (sum >= limit) return 0;
  }
  *count = sum;
  return at > value.at && (at == value.end || strchr(".eE", *at) == NULL);
}

/* ---- text ---- */

static int utf8_size(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first < 0xE0) return 2;
  if (first >= 0xE0 && first < 0xF0) return 3;
  if (first >= 0xF0 && first < 0xF5) return 4;
  return 0;
}

static int is_utf8(const char* text, size_t size) {
  static const uint32_t min_code[] = {0, 0, 0x80, 0x800, 0x10000};
  for (size_t i = 0; i < size;) {
    const unsigned char first = (unsigned char)text[i];
    const int length = utf8_size(first);
    if (length == 0 || (size_t)length > size - i) return 0;
    uint32_t code = length == 1 ? first : first & (0xFFu >> (length + 1));
    for (int k = 1; k < length; k++) {
      const unsigned char next = (unsigned char)text[i + (size_t)k];
      if ((next & 0xC0) != 0x80) return 0;
      code = code << 6 | (next & 0x3Fu);
    }
    if (code < min_code[length] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return 0;
    i += (size_t)length;
  }
  return 1;
}

static uint32_t hex4(const char* at) {
  uint32_t code = 0;
  for (int i = 0; i < 4; i++) code = code << 4 | (uint32_t)hex_digit(at[i]);
  return code;
}

/* Surrogates that are no pair become three bytes that `is_utf8` refuses. */
static size_t put_utf8(char* out, uint32_t code) {
  if (code < 0x80) {
    out[0] = (char)code;
    return 1;
  }
  const int length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  for (int i = length - 1; i > 0; i--, code >>= 6) out[i] = (char)(0x80 | (code & 0x3F));
  out[0] = (char)(code | (0xF00u >> length & 0xFF));
  return (size_t)length;
}

/* Reads the digits after \u. Returns the characters read. */
static size_t unescape_unicode(const char* at, const char* end, char* out, size_t* written) {
  uint32_t code = hex4(at);
  size_t used = 4;
  if (code >= 0xD800 && code < 0xDC00 && end - at >= 10 && at[4] == '\\' && at[5] == 'u') {
    const uint32_t low = hex4(at + 6);
    if (low >= 0xDC00 && low < 0xE000) {
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
      used = 10;
    }
  }
  *written = put_utf8(out, code);
  return used;
}

char* pco_json_text(pco_json value) {
  if (!pco_json_is_string(value)) return NULL;
  parser p = {value.at, value.end, 1};
  if (!skip_string(&p)) return NULL;
  const char* at = value.at + 1;
  const char* end = p.at - 1;
  /* An escape is at least as long as what it stands for. */
  char* text = malloc((size_t)(end - at) + 1);
  if (text == NULL) return NULL;
  size_t size = 0;
  while (at < end) {
    if (*at != '\\') {
      text[size++] = *at++;
      continue;
    }
    static const char escapes[] = "\"\\/bfnrt";
    static const char meant[] = "\"\\/\b\f\n\r\t";
    const char escaped = at[1];
    at += 2;
    if (escaped == 'u') {
      size_t written = 0;
      at += unescape_unicode(at, end, text + size, &written);
      size += written;
    } else {
      text[size++] = meant[strchr(escapes, escaped) - escapes];
    }
  }
  text[size] = '\0';
  if (!is_utf8(text, size) || memchr(text, '\0', size) != NULL) {
    free(text);
    return NULL;
  }
  return text;
}
