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
