-- ywp1.lua - Wireshark dissector for the Yoke Wire Protocol v1.
-- Made by `make gen` from src/core/protocol.def and tools/dissector: change those.
--
-- Copy it into the folder "Personal Lua Plugins" (Help, About, Folders), or:
--   tshark -X lua_script:ywp1.lua -o ywp1.key_file:site.psk -r FILE.pcap
--
-- Each datagram gets the verdict a receiver with the key of the preferences would give it, except
-- for what needs a memory of earlier frames or a clock (stale, dup): field ywp1.verdict.

local FRAME_MAX = 1200
local DEPTH_MAX = 32
local ID_MAX = 64
local NAME_MAX = 64
local SLUG_MAX = 64
local SEQ_FUTURE_S = 3600
local DEFAULT_PORT = 9753
local words = {
  type = {
    ["ann"] = "announcement: who I am and how I am",
    ["int"] = "pairing intent",
    ["ack"] = "a consumer's answer to an intent",
    ["evt"] = "event",
    ["bye"] = "orderly departure",
  },
  role = {
    ["producer"] = "an encoder: player, keyboard, camera",
    ["consumer"] = "a decoder: screen, USB port",
  },
  kind = {
    ["hdmi"] = "picture and sound",
    ["usb"] = "USB devices",
  },
  state = {
    ["idle"] = "unpaired, and the backend's release confirmed",
    ["active"] = "the backend confirms that the attachment is ready",
    ["pending"] = "producer unknown, attachment not ready, or release not confirmed",
    ["error"] = "the driver failed; it is retried",
  },
  op = {
    ["pair"] = "show this producer",
    ["unpair"] = "show nothing",
  },
  reason = {
    ["applied"] = "the pairing is saved",
    ["superseded"] = "a newer version already governs",
    ["unknown-producer"] = "the producer is not a node id",
    ["driver-error"] = "the driver refused (never sent by yoke)",
    ["kind-mismatch"] = "producer and consumer are of different kinds",
    ["self-pair"] = "a consumer cannot show itself",
  },
  event = {
    ["pairing-applied"] = "a pairing was saved and governs now",
    ["media-up"] = "the attachment is confirmed",
    ["media-pending"] = "waiting for the producer or for the driver",
    ["media-down"] = "media was taken down by an unpair",
    ["driver-error"] = "the driver failed",
    ["driver-retry"] = "the driver is asked again",
    ["peer-lost"] = "the paired producer is not heard any more",
    ["peer-returned"] = "the paired producer is heard again",
    ["rx-drop"] = "datagrams were dropped; counts since start",
    ["started"] = "the agent runs",
    ["stopping"] = "the agent stops in an orderly way",
  },
  drop = {
    ["malformed"] = "not a frame of this protocol",
    ["version"] = "another version of the protocol",
    ["auth"] = "the signature does not verify",
    ["stale"] = "a sequence number already passed, or too far in the future",
    ["oversize"] = "more than 1200 bytes",
    ["dup"] = "the same frame again; normal on multicast",
  },
}

local ywp1 = Proto("ywp1", "Yoke Wire Protocol v1")

ywp1.prefs.port = Pref.uint("UDP port", DEFAULT_PORT, "Port of the control group")
ywp1.prefs.key = Pref.string("Site key", "", "The site key as text; a key file wins over it")
ywp1.prefs.key_file = Pref.string("Site key file", "",
  "A file with the site key: its bytes less one final line feed")
ywp1.prefs.open = Pref.bool("Open mode", false, "The site has no key: signed frames are wrong")

-- ---- fields

local ABSOLUTE = base.UTC
local f = {
  v = ProtoField.string("ywp1.v", "Version"),
  type = ProtoField.string("ywp1.type", "Type"),
  origin = ProtoField.string("ywp1.origin", "Origin"),
  seq = ProtoField.uint64("ywp1.seq", "Sequence"),
  seq_time = ProtoField.absolute_time("ywp1.seq.time", "Sequence as time", ABSOLUTE),
  ts = ProtoField.string("ywp1.ts", "Sender's clock"),
  sig = ProtoField.string("ywp1.sig", "Signature"),
  sig_status = ProtoField.string("ywp1.sig.status", "Signature status"),
  body = ProtoField.string("ywp1.body", "Body"),
  verdict = ProtoField.string("ywp1.verdict", "Verdict"),
  canonical = ProtoField.bool("ywp1.canonical", "Canonical spelling"),
  unknown = ProtoField.string("ywp1.unknown", "Member not of the protocol"),
  role = ProtoField.string("ywp1.ann.role", "Role"),
  kind = ProtoField.string("ywp1.ann.kind", "Kind"),
  name = ProtoField.string("ywp1.ann.name", "Name"),
  state = ProtoField.string("ywp1.ann.state", "State"),
  err = ProtoField.string("ywp1.ann.err", "Error"),
  media = ProtoField.string("ywp1.ann.media", "Media"),
  pairing = ProtoField.string("ywp1.ann.pairing", "Pairing"),
  driver_status = ProtoField.string("ywp1.ann.driver_status", "Driver's evidence"),
  op = ProtoField.string("ywp1.int.op", "Operation"),
  consumer = ProtoField.string("ywp1.consumer", "Consumer"),
  producer = ProtoField.string("ywp1.producer", "Producer"),
  version = ProtoField.string("ywp1.version", "Pairing version"),
  version_n = ProtoField.uint64("ywp1.version.n", "Counter"),
  version_author = ProtoField.string("ywp1.version.author", "Author"),
  applied = ProtoField.bool("ywp1.ack.applied", "Applied"),
  reason = ProtoField.string("ywp1.ack.reason", "Reason"),
  event = ProtoField.string("ywp1.evt.event", "Event"),
  detail = ProtoField.string("ywp1.evt.detail", "Detail"),
}
ywp1.fields = f

local function expert_info(name, text, group, severity)
  return ProtoExpert.new("ywp1.expert." .. name, text, group, severity)
end

local e = {
  malformed = expert_info("malformed", "Malformed", expert.group.MALFORMED, expert.severity.ERROR),
  version = expert_info("version", "Another version of the protocol", expert.group.UNDECODED,
    expert.severity.WARN),
  oversize = expert_info("oversize", "More than " .. FRAME_MAX .. " bytes", expert.group.PROTOCOL,
    expert.severity.ERROR),
  auth = expert_info("auth", "The signature does not verify", expert.group.SECURITY,
    expert.severity.ERROR),
  unchecked = expert_info("unchecked", "Signature not checked: no key is set in the preferences",
    expert.group.SECURITY, expert.severity.CHAT),
  unsigned = expert_info("unsigned", "Unsigned: anybody may have sent this", expert.group.SECURITY,
    expert.severity.NOTE),
  canonical = expert_info("canonical", "Not in canonical spelling", expert.group.PROTOCOL,
    expert.severity.WARN),
  non_integer = expert_info("non_integer", "A number that is no integer, outside ts",
    expert.group.PROTOCOL, expert.severity.WARN),
  future = expert_info("future", "Sequence over an hour ahead of the capture's clock",
    expert.group.SEQUENCE, expert.severity.WARN),
  event = expert_info("event", "An event that is not on the list", expert.group.PROTOCOL,
    expert.severity.NOTE),
  refused = expert_info("refused", "The consumer refused", expert.group.RESPONSE_CODE,
    expert.severity.NOTE),
  failed = expert_info("failed", "The node is in error", expert.group.RESPONSE_CODE,
    expert.severity.NOTE),
  cut = expert_info("cut", "Captured in part only: not looked into", expert.group.UNDECODED,
    expert.severity.WARN),
  key_file = expert_info("key_file", "The key file of the preferences cannot be read",
    expert.group.SECURITY, expert.severity.ERROR),
}
ywp1.experts = e

-- ---- SHA-256 and HMAC

local bits = bit32 or bit
local band, bxor, bnot = bits.band, bits.bxor, bits.bnot
local rshift = bits.rshift
local ror = bits.rrotate or bits.ror

local ROUND = {}
local INITIAL = {}

-- The first 32 bits of the fractions of the roots of the first primes.
do
  local candidate, found = 2, 0
  while found < 64 do
    local prime = true
    for divisor = 2, candidate - 1 do
      if candidate % divisor == 0 then
        prime = false
        break
      end
    end
    if prime then
      found = found + 1
      ROUND[found] = math.floor((candidate ^ (1 / 3)) % 1 * 2 ^ 32)
      if found <= 8 then
        INITIAL[found] = math.floor(math.sqrt(candidate) % 1 * 2 ^ 32)
      end
    end
    candidate = candidate + 1
  end
end

local function sha256_block(state, text, at)
  local w = {}
  for i = 1, 16 do
    local a, b, c, d = text:byte(at + 4 * i - 4, at + 4 * i - 1)
    w[i] = ((a * 256 + b) * 256 + c) * 256 + d
  end
  for i = 17, 64 do
    local x, y = w[i - 15], w[i - 2]
    local s0 = bxor(ror(x, 7), ror(x, 18), rshift(x, 3))
    local s1 = bxor(ror(y, 17), ror(y, 19), rshift(y, 10))
    w[i] = (w[i - 16] + s0 + w[i - 7] + s1) % 2 ^ 32
  end
  local a, b, c, d, e_, f_, g, h = table.unpack(state)
  for i = 1, 64 do
    local s1 = bxor(ror(e_, 6), ror(e_, 11), ror(e_, 25))
    local choice = bxor(band(e_, f_), band(bnot(e_), g))
    local t1 = h + s1 + choice + ROUND[i] + w[i]
    local s0 = bxor(ror(a, 2), ror(a, 13), ror(a, 22))
    local majority = bxor(band(a, b), band(a, c), band(b, c))
    h, g, f_, e_ = g, f_, e_, (d + t1) % 2 ^ 32
    d, c, b, a = c, b, a, (t1 + s0 + majority) % 2 ^ 32
  end
  for i, value in ipairs({ a, b, c, d, e_, f_, g, h }) do
    state[i] = (state[i] + value) % 2 ^ 32
  end
end

local function big_endian(value, size)
  local out = {}
  for i = size, 1, -1 do
    out[i] = string.char(value % 256)
    value = math.floor(value / 256)
  end
  return table.concat(out)
end

local function sha256(text)
  local state = { table.unpack(INITIAL) }
  local padded = text .. "\128" .. string.rep("\0", (55 - #text) % 64) .. big_endian(#text * 8, 8)
  for at = 1, #padded, 64 do
    sha256_block(state, padded, at)
  end
  local out = {}
  for i = 1, 8 do
    out[i] = big_endian(state[i], 4)
  end
  return table.concat(out)
end

local function hmac_hex(key, text)
  if #key > 64 then
    key = sha256(key)
  end
  local inner, outer = {}, {}
  for i = 1, 64 do
    local byte = key:byte(i) or 0
    inner[i] = string.char(bxor(byte, 0x36))
    outer[i] = string.char(bxor(byte, 0x5c))
  end
  local digest = sha256(table.concat(outer) .. sha256(table.concat(inner) .. text))
  return (digest:gsub(".", function(c) return string.format("%02x", c:byte()) end))
end

-- ---- JSON: a strict reader that keeps places, and the canonical writer
--
-- A node: kind, first and last (byte places, from 1), and text (numbers, strings), members (objects:
-- a list of {key, value}, and of(name)) or items (arrays). A reader that fails raises {why, place}.

local read_value

local function fail(why, place)
  error({ why = why, place = place }, 0)
end

local function skip_blank(text, at)
  return text:find("[^ \t\n\r]", at) or #text + 1
end

-- Size of the UTF-8 character at a place; nil when there is none.
local function utf8_size(text, at)
  local a, b, c, d = text:byte(at, at + 3)
  local function tail(byte) return byte ~= nil and byte >= 0x80 and byte <= 0xbf end
  if a < 0x80 then return 1 end
  if a >= 0xc2 and a <= 0xdf and tail(b) then return 2 end
  if a >= 0xe0 and a <= 0xef and tail(b) and tail(c) then
    local low, high = a == 0xe0 and 0xa0 or 0x80, a == 0xed and 0x9f or 0xbf
    return b >= low and b <= high and 3 or nil
  end
  if a >= 0xf0 and a <= 0xf4 and tail(b) and tail(c) and tail(d) then
    local low, high = a == 0xf0 and 0x90 or 0x80, a == 0xf4 and 0x8f or 0xbf
    return b >= low and b <= high and 4 or nil
  end
  return nil
end

local function utf8_char(point)
  local function tail(shift) return 0x80 + math.floor(point / shift) % 64 end
  if point < 0x80 then return string.char(point) end
  if point < 0x800 then return string.char(0xc0 + math.floor(point / 64), tail(1)) end
  if point < 0x10000 then
    return string.char(0xe0 + math.floor(point / 4096), tail(64), tail(1))
  end
  return string.char(0xf0 + math.floor(point / 262144), tail(4096), tail(64), tail(1))
end

local SHORT = { ['"'] = '"', ["\\"] = "\\", ["/"] = "/", b = "\b", f = "\f", n = "\n", r = "\r",
  t = "\t" }

-- The escape at `at` (a backslash): its text and its size.
local function read_escape(text, at)
  local letter = text:sub(at + 1, at + 1)
  if SHORT[letter] then return SHORT[letter], 2 end
  local hex = text:match("^\\u(%x%x%x%x)", at)
  if not hex then fail("a wrong escape", at) end
  local point = tonumber(hex, 16)
  if point < 0xd800 or point > 0xdfff then return utf8_char(point), 6 end
  local low = point < 0xdc00 and text:match("^\\u([dD][c-fC-F]%x%x)", at + 6)
  if not low then fail("half of a surrogate pair", at) end
  return utf8_char(0x10000 + (point - 0xd800) * 0x400 + tonumber(low, 16) - 0xdc00), 12
end

local function read_string(text, first)
  local out, at = {}, first + 1
  while true do
    local plain = text:match("^[ !#-%[%]-~]+", at)
    if plain then
      out[#out + 1] = plain
      at = at + #plain
    end
    local c = text:byte(at)
    if c == nil then fail("a string without an end", first) end
    local piece, size
    if c == 0x22 then
      return { kind = "string", first = first, last = at, text = table.concat(out) }
    elseif c == 0x5c then
      piece, size = read_escape(text, at)
    elseif c < 0x20 then
      fail("a raw control character", at)
    else
      size = utf8_size(text, at)
      if not size then fail("bytes that are not UTF-8", at) end
      piece = text:sub(at, at + size - 1)
    end
    out[#out + 1] = piece
    at = at + size
  end
end

local function read_number(text, first)
  local whole = text:match("^%-?0", first) or text:match("^%-?[1-9]%d*", first)
  if not whole then fail("no value", first) end
  local at = first + #whole
  local part = text:match("^%.%d+", at) or ""
  local exponent = text:match("^[eE][+-]?%d+", at + #part) or ""
  local last = at + #part + #exponent - 1
  if part == "" and exponent == "" then
    return { kind = "integer", first = first, last = last, text = whole == "-0" and "0" or whole }
  end
  local value = tonumber(text:sub(first, last))
  if value == math.huge or value == -math.huge then fail("a number that is not finite", first) end
  return { kind = "real", first = first, last = last, value = value }
end

local function read_container(text, first, depth)
  local object = text:sub(first, first) == "{"
  local close = object and "}" or "]"
  local node = { kind = object and "object" or "array", first = first, members = {}, items = {} }
  local seen = {}
  if depth > DEPTH_MAX then fail("more than " .. DEPTH_MAX .. " containers in each other", first) end
  local at = skip_blank(text, first + 1)
  if text:sub(at, at) == close then
    node.last = at
    return node
  end
  while true do
    local key
    if object then
      if text:sub(at, at) ~= '"' then fail("no name of a member", at) end
      key = read_string(text, at)
      if seen[key.text] then fail("a member that is there twice", at) end
      at = skip_blank(text, key.last + 1)
      if text:sub(at, at) ~= ":" then fail("no colon", at) end
      at = skip_blank(text, at + 1)
    end
    local value = read_value(text, at, depth)
    if object then
      seen[key.text] = value
      node.members[#node.members + 1] = { key = key, value = value }
    else
      node.items[#node.items + 1] = value
    end
    at = skip_blank(text, value.last + 1)
    local mark = text:sub(at, at)
    if mark == close then
      node.last, node.by = at, seen
      return node
    elseif mark ~= "," then
      fail("no comma and no end", at)
    end
    at = skip_blank(text, at + 1)
  end
end

local WORDS = { ["true"] = "true", ["false"] = "false", null = "null" }

function read_value(text, at, depth)
  local c = text:sub(at, at)
  if c == "{" or c == "[" then return read_container(text, at, depth + 1) end
  if c == '"' then return read_string(text, at) end
  local word = WORDS[text:match("^%l+", at)]
  if word then return { kind = word, first = at, last = at + #word - 1 } end
  return read_number(text, at)
end

local function read_json(text)
  local at = skip_blank(text, 1)
  local root = read_value(text, at, 0)
  at = skip_blank(text, root.last + 1)
  if at <= #text then fail("something behind the end", at) end
  return root
end

-- A mantissa's digits one step in the last place up or down; nil where that changes their number.
local function step(digits, by)
  local kept, last, run = digits:match(by > 0 and "^(%d-)([0-8])(9*)$" or "^(%d-)([1-9])(0*)$")
  if not kept then return nil end
  local tail = run:gsub("%d", by > 0 and "0" or "9")
  local stepped = kept .. string.format("%d", tonumber(last) + by) .. tail
  return stepped:sub(1, 1) ~= "0" and stepped or nil
end

-- The fewest digits that read back. The value rounded to so many digits may not, and yet its
-- neighbour may: the gaps on both sides of a power of two differ.
local function shortest(value)
  for places = 0, 16 do
    local text = string.format("%." .. places .. "e", value):gsub(",", ".")
    if tonumber(text) == value then return text end
    local sign, head, rest, exponent = text:match("^(%-?)(%d)%.?(%d*)(e.+)$")
    for _, by in ipairs({ 1, -1 }) do
      local digits = step(head .. rest, by)
      local near = digits and sign .. digits:sub(1, 1) .. "." .. digits:sub(2) .. exponent
      if near and tonumber(near) == value then return near end
    end
  end
  error("no digits for a number")
end

-- In the notation of the canonical form.
local function write_real(value)
  if value == 0 then return 1 / value < 0 and "-0.0" or "0.0" end
  local text = shortest(value)
  local sign, head, rest, exponent = text:match("^(%-?)(%d)%.?(%d*)e([+-]%d+)$")
  local all, power = head .. rest, tonumber(exponent)
  if power < -4 or power >= 16 then
    return string.format("%s%s%se%s%02d", sign, head, rest ~= "" and "." .. rest or "",
      power < 0 and "-" or "+", math.abs(power))
  elseif power < 0 then
    return sign .. "0." .. string.rep("0", -power - 1) .. all
  elseif #all <= power + 1 then
    return sign .. all .. string.rep("0", power + 1 - #all) .. ".0"
  end
  return sign .. all:sub(1, power + 1) .. "." .. all:sub(power + 2)
end

local WRITTEN = { ['"'] = '\\"', ["\\"] = "\\\\", ["\b"] = "\\b", ["\f"] = "\\f", ["\n"] = "\\n",
  ["\r"] = "\\r", ["\t"] = "\\t" }

local function write_string(text)
  return '"' .. text:gsub('[\0-\31"\\]', function(c)
    return WRITTEN[c] or string.format("\\u%04x", c:byte())
  end) .. '"'
end

-- Canonical bytes; of an object without the member `left_out` (not those inside).
local function write_json(node, left_out)
  local parts = {}
  if node.kind == "object" then
    local members = { table.unpack(node.members) }
    table.sort(members, function(x, y) return x.key.text < y.key.text end)
    for _, member in ipairs(members) do
      if member.key.text ~= left_out then
        parts[#parts + 1] = write_string(member.key.text) .. ":" .. write_json(member.value)
      end
    end
    return "{" .. table.concat(parts, ",") .. "}"
  elseif node.kind == "array" then
    for i, item in ipairs(node.items) do
      parts[i] = write_json(item)
    end
    return "[" .. table.concat(parts, ",") .. "]"
  elseif node.kind == "string" then
    return write_string(node.text)
  elseif node.kind == "real" then
    return write_real(node.value)
  end
  return node.text or node.kind
end

-- The first number that is no integer; nil when there is none.
local function find_real(node)
  if node.kind == "real" then return node end
  for _, member in ipairs(node.members or {}) do
    local found = find_real(member.value)
    if found then return found end
  end
  for _, item in ipairs(node.items or {}) do
    local found = find_real(item)
    if found then return found end
  end
  return nil
end

-- ---- rules of the frame: each gives nothing, or why not

local COUNT_MAX = "9223372036854775807"

local function is_count(node, least)
  if not node or node.kind ~= "integer" or node.text:sub(1, 1) == "-" then return false end
  local text = node.text
  if #text > #COUNT_MAX or (#text == #COUNT_MAX and text > COUNT_MAX) then return false end
  return least == 0 or text ~= "0"
end

local function is_id_text(text)
  return #text <= ID_MAX and text:match("^[A-Za-z0-9][A-Za-z0-9._-]*$") ~= nil
end

local function is_kind(node, kind) return node ~= nil and node.kind == kind end
local function is_id(node) return is_kind(node, "string") and is_id_text(node.text) end
local function is_word(node, words)
  return is_kind(node, "string") and words[node.text] ~= nil
end
local function is_text_or_null(node) return is_kind(node, "string") or is_kind(node, "null") end

local function members_of(node) return node.by or {} end

local function is_version(node, zero)
  if not is_kind(node, "array") or #node.items ~= 2 then return false end
  local n, author = node.items[1], node.items[2]
  if not is_count(n, 0) or not is_kind(author, "string") then return false end
  if n.text == "0" then return zero and author.text == "" end
  return is_id_text(author.text)
end

local function code_points(text)
  local _, tails = text:gsub("[\128-\191]", "")
  return #text - tails
end

local function check_pairing(node)
  if not is_kind(node, "object") then return "pairing is no object" end
  local producer, version = members_of(node).producer, members_of(node).version
  if not is_version(version, true) then return "pairing.version is none" end
  if is_kind(producer, "null") then return nil end
  if version.items[1].text == "0" then return "a producer under the zero version" end
  return not is_id(producer) and "pairing.producer is no node id" or nil
end

local function check_ann(b)
  if not is_word(b.role, words.role) then return "role is not on the list" end
  if not is_word(b.kind, words.kind) then return "kind is not on the list" end
  if not is_word(b.state, words.state) then return "state is not on the list" end
  if not is_kind(b.name, "string") or code_points(b.name.text) > NAME_MAX then
    return "name is none, or longer than " .. NAME_MAX .. " characters"
  end
  if not is_text_or_null(b.err) then return "err is neither text nor null" end
  if b.role.text == "consumer" then
    if not is_kind(b.media, "null") then return "a consumer with media" end
    return check_pairing(b.pairing)
  end
  if not is_kind(b.pairing, "null") then return "a producer with a pairing" end
  if not is_kind(b.media, "object") and not is_kind(b.media, "null") then
    return "media is neither an object nor null"
  end
  return nil
end

local function check_int(b)
  if not is_word(b.op, words.op) then return "op is not on the list" end
  if not is_id(b.consumer) then return "consumer is no node id" end
  if not is_version(b.version, false) then return "version is none" end
  return b.op.text == "pair" and not is_kind(b.producer, "string") and "producer is no text" or nil
end

local function check_ack(b)
  if not is_version(b.version, false) then return "version is none" end
  if not is_kind(b.applied, "true") and not is_kind(b.applied, "false") then
    return "applied is neither true nor false"
  end
  return not is_word(b.reason, words.reason) and "reason is not on the list" or nil
end

local function check_evt(b)
  if not is_kind(b.event, "string") or #b.event.text > SLUG_MAX
    or not b.event.text:match("^[a-z0-9][a-z0-9-]*$") then
    return "event is no slug"
  end
  return not is_kind(b.detail, "object") and "detail is no object" or nil
end

local check_body = { ann = check_ann, int = check_int, ack = check_ack, evt = check_evt,
  bye = function() return nil end }

local ENVELOPE = { v = true, type = true, origin = true, seq = true, ts = true, body = true,
  sig = true }

-- Gives the drop counter's name and why, or nothing.
local function check_envelope(root)
  if root.kind ~= "object" then return "malformed", "no object" end
  local m = members_of(root)
  if not is_kind(m.v, "integer") then return "malformed", "v is no integer" end
  if m.v.text ~= "1" then return "version", "v is " .. m.v.text end
  for name in pairs(ENVELOPE) do
    if not m[name] then return "malformed", name .. " is missing" end
  end
  if #root.members ~= 7 then return "malformed", "a member too many" end
  if not is_word(m.type, words.type) then return "malformed", "type is not on the list" end
  if not is_id(m.origin) then return "malformed", "origin is no node id" end
  if not is_count(m.seq, 1) then return "malformed", "seq is out of range" end
  if not is_kind(m.ts, "integer") and not is_kind(m.ts, "real") then
    return "malformed", "ts is no number"
  end
  if not is_kind(m.body, "object") then return "malformed", "body is no object" end
  if not is_kind(m.sig, "string") then return "malformed", "sig is no text" end
  return nil
end

local site = { key = nil, broken = false }

-- Gives a status for people, and whether a receiver would drop the frame (nil: not known).
local function check_sig(root, sig)
  local well_formed = sig == "" or (#sig == 64 and sig:match("^[0-9a-f]+$") ~= nil)
  if not well_formed then return "wrong form", true end
  if ywp1.prefs.open then
    return sig == "" and "open" or "signed, at a site without a key", sig ~= ""
  end
  if not site.key then return sig == "" and "unsigned" or "not checked", nil end
  if sig == "" then return "unsigned, at a site with a key", true end
  local good = hmac_hex(site.key, write_json(root, "sig")) == sig
  return good and "good" or "bad", not good
end

-- ---- what is shown

local function range_of(tvb, node) return tvb(node.first - 1, node.last - node.first + 1) end

local function add(tree, field, tvb, node, value, note)
  local item = tree:add(field, range_of(tvb, node), value)
  if note then item:append_text(" (" .. note .. ")") end
  return item
end

local function uint64_of(text)
  local value = UInt64.new(0)
  for digit in text:gmatch("%d") do
    value = value * UInt64.new(10) + UInt64.new(tonumber(digit))
  end
  return value
end

local function add_text(tree, field, tvb, node)
  if node and node.kind == "string" then return add(tree, field, tvb, node, node.text) end
  if node then return add(tree, field, tvb, node, write_json(node)) end
  return nil
end

local function add_word(tree, field, tvb, node, list)
  if is_kind(node, "string") then
    return add(tree, field, tvb, node, node.text, list[node.text])
  end
  return add_text(tree, field, tvb, node)
end

local function add_version(tree, tvb, node)
  if not node then return end
  local sub = add(tree, f.version, tvb, node, write_json(node))
  if not is_version(node, true) then return end
  add(sub, f.version_n, tvb, node.items[1], uint64_of(node.items[1].text))
  add(sub, f.version_author, tvb, node.items[2], node.items[2].text)
end

local function add_unknown(tree, tvb, node, known)
  for _, member in ipairs(node.members) do
    if not known[member.key.text] then
      add(tree, f.unknown, tvb, member.value, member.key.text .. ": " .. write_json(member.value))
    end
  end
end

local KNOWN = {
  ann = { role = true, kind = true, name = true, state = true, err = true, pairing = true,
    media = true, driver_status = true },
  int = { op = true, consumer = true, producer = true, version = true },
  ack = { version = true, applied = true, reason = true },
  evt = { event = true, detail = true },
  bye = {},
}

local show = {}

function show.ann(tree, tvb, b)
  add_word(tree, f.role, tvb, b.role, words.role)
  add_word(tree, f.kind, tvb, b.kind, words.kind)
  add_text(tree, f.name, tvb, b.name)
  local state = add_word(tree, f.state, tvb, b.state, words.state)
  if state and b.state.text == "error" then state:add_proto_expert_info(e.failed) end
  if is_kind(b.err, "string") then add_text(tree, f.err, tvb, b.err) end
  if is_kind(b.media, "object") then add_text(tree, f.media, tvb, b.media) end
  if is_kind(b.pairing, "object") then
    local sub = add(tree, f.pairing, tvb, b.pairing, write_json(b.pairing))
    local p = members_of(b.pairing)
    if is_kind(p.producer, "string") then add_text(sub, f.producer, tvb, p.producer) end
    add_version(sub, tvb, p.version)
  end
  if is_kind(b.driver_status, "object") then
    add_text(tree, f.driver_status, tvb, members_of(b.driver_status).detail or b.driver_status)
  end
end

function show.int(tree, tvb, b)
  add_word(tree, f.op, tvb, b.op, words.op)
  add_text(tree, f.consumer, tvb, b.consumer)
  if b.producer then add_text(tree, f.producer, tvb, b.producer) end
  add_version(tree, tvb, b.version)
end

function show.ack(tree, tvb, b)
  if b.applied then add(tree, f.applied, tvb, b.applied, b.applied.kind == "true") end
  local reason = add_word(tree, f.reason, tvb, b.reason, words.reason)
  if reason and is_kind(b.applied, "false") then reason:add_proto_expert_info(e.refused) end
  add_version(tree, tvb, b.version)
end

function show.evt(tree, tvb, b)
  local event = add_word(tree, f.event, tvb, b.event, words.event)
  if event and not is_word(b.event, words.event) then event:add_proto_expert_info(e.event) end
  add_text(tree, f.detail, tvb, b.detail)
end

function show.bye() end

local function show_seq(tree, tvb, seq, pinfo)
  add(tree, f.seq, tvb, seq, uint64_of(seq.text))
  local seconds = tonumber(seq.text:sub(1, -10)) or 0
  local item = add(tree, f.seq_time, tvb, seq, NSTime.new(seconds, tonumber(seq.text:sub(-9))))
  item:set_generated()
  if seconds > tonumber(pinfo.abs_ts) + SEQ_FUTURE_S then item:add_proto_expert_info(e.future) end
end

local function show_envelope(tree, tvb, m, pinfo)
  add_text(tree, f.v, tvb, m.v)
  add_word(tree, f.type, tvb, m.type, words.type)
  add_text(tree, f.origin, tvb, m.origin)
  if is_count(m.seq, 1) then show_seq(tree, tvb, m.seq, pinfo) end
  add_text(tree, f.ts, tvb, m.ts)
  add_text(tree, f.sig, tvb, m.sig)
end

-- Only ids, words and numbers come here: they cannot reorder or hide what is read.
local function short(m, b)
  local function version(node) return write_json(node) end
  local kind = m.type.text
  if kind == "ann" then
    local text = string.format("%s %s %s", b.kind.text, b.role.text, b.state.text)
    if b.role.text == "producer" then return text end
    local p = members_of(b.pairing)
    return string.format("%s <- %s %s", text, p.producer.text or "nobody", version(p.version))
  elseif kind == "int" then
    local producer = ""
    if b.op.text == "pair" then producer = is_id(b.producer) and b.producer.text or "(no node id)" end
    return string.format("%s %s %s %s", b.op.text, b.consumer.text, producer, version(b.version))
  elseif kind == "ack" then
    return string.format("%s %s %s", version(b.version),
      b.applied.kind == "true" and "applied" or "refused", b.reason.text)
  elseif kind == "evt" then
    return b.event.text
  end
  return ""
end

-- ---- the dissector

local WHY = { malformed = e.malformed, version = e.version, oversize = e.oversize, auth = e.auth }

local function verdict_of(tree, tvb, pinfo, verdict, why)
  local item = tree:add(f.verdict, tvb(), verdict):set_generated()
  if WHY[verdict] then
    item:add_proto_expert_info(WHY[verdict], why or words.drop[verdict])
    pinfo.cols.info:append((" [%s%s]"):format(verdict, why and ": " .. why or ""))
  end
end

local function show_sig(tree, tvb, root, sig)
  local status, dropped = check_sig(root, sig.text)
  local item = add(tree, f.sig_status, tvb, sig, status):set_generated()
  if site.broken then item:add_proto_expert_info(e.key_file) end
  if dropped == nil and sig.text ~= "" then item:add_proto_expert_info(e.unchecked) end
  if sig.text == "" and not dropped then item:add_proto_expert_info(e.unsigned) end
  return status, dropped
end

local function show_body(tree, tvb, m)
  local sub = add(tree, f.body, tvb, m.body, write_json(m.body))
  local b = members_of(m.body)
  show[m.type.text](sub, tvb, b)
  add_unknown(sub, tvb, m.body, KNOWN[m.type.text])
  local real = find_real(m.body)
  if real then sub:add_tvb_expert_info(e.non_integer, range_of(tvb, real)) end
  return b
end

local function dissect_frame(tree, tvb, pinfo, root, raw)
  local m = members_of(root)
  local spelled = write_json(root) == raw
  local spelling = tree:add(f.canonical, tvb(), spelled):set_generated()
  if not spelled then spelling:add_proto_expert_info(e.canonical) end
  if root.kind == "object" then
    show_envelope(tree, tvb, m, pinfo)
    add_unknown(tree, tvb, root, ENVELOPE)
  end
  local drop, why = check_envelope(root)
  if drop then return verdict_of(tree, tvb, pinfo, drop, why) end
  local status, dropped = show_sig(tree, tvb, root, m.sig)
  local b = show_body(tree, tvb, m)
  pinfo.cols.info:set(m.type.text .. " " .. m.origin.text)
  if dropped then return verdict_of(tree, tvb, pinfo, "auth", "signature: " .. status) end
  why = check_body[m.type.text](b)
  if why then return verdict_of(tree, tvb, pinfo, "malformed", why) end
  pinfo.cols.info:append(" " .. short(m, b))
  return verdict_of(tree, tvb, pinfo, dropped == nil and "unchecked" or "accept")
end

function ywp1.dissector(tvb, pinfo, tree)
  pinfo.cols.protocol:set("YWP/1")
  pinfo.cols.info:set("")
  local size = tvb:reported_len()
  if size == 0 then return 0 end
  local sub = tree:add(ywp1, tvb())
  if size > FRAME_MAX then
    verdict_of(sub, tvb, pinfo, "oversize", size .. " bytes")
    return size
  elseif tvb:len() < size then
    sub:add_proto_expert_info(e.cut)
    return size
  end
  local raw = tvb():raw()
  local good, root = pcall(read_json, raw)
  if good then
    dissect_frame(sub, tvb, pinfo, root, raw)
  elseif type(root) == "table" then
    verdict_of(sub, tvb, pinfo, "malformed", ("%s at byte %d"):format(root.why, root.place))
  else
    error(root, 0)
  end
  return size
end

local function read_key()
  site.key, site.broken = nil, false
  if ywp1.prefs.key ~= "" then site.key = ywp1.prefs.key end
  if ywp1.prefs.key_file == "" then return end
  local file = io.open(ywp1.prefs.key_file, "rb")
  local content = file and file:read("*a")
  if file then file:close() end
  content = content and content:gsub("\n$", "", 1)
  site.key = content and content ~= "" and content or nil
  site.broken = site.key == nil
end

local udp_ports = DissectorTable.get("udp.port")
local port_in_use = ywp1.prefs.port

function ywp1.prefs_changed()
  if port_in_use ~= ywp1.prefs.port then
    udp_ports:remove(port_in_use, ywp1)
    udp_ports:add(ywp1.prefs.port, ywp1)
    port_in_use = ywp1.prefs.port
  end
  read_key()
end

-- Preferences of the command line are there before the first frame, whatever was changed.
function ywp1.init() ywp1.prefs_changed() end

udp_ports:add(port_in_use, ywp1)
