-- ywp1.lua - Wireshark dissector for the Yoke Wire Protocol v1.
-- @generated@
--
-- Copy it into the folder "Personal Lua Plugins" (Help, About, Folders), or:
--   tshark -X lua_script:ywp1.lua -o ywp1.key_file:site.psk -r FILE.pcap
--
-- Each datagram gets the verdict a receiver with the key of the preferences would give it, except
-- for what needs a memory of earlier frames or a clock (stale, dup): field ywp1.verdict.

-- @tables@

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
