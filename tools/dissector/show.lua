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
