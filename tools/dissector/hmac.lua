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
