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
