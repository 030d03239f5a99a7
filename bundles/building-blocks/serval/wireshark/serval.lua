-- SPDX-License-Identifier: Apache-2.0
-- serval.lua - a dissector of Serval's service access layer for Wireshark and tshark, from docs/protocols/serval.md.
-- Runs in Lua 5.2 to 5.4, so bits are taken by arithmetic. Reads only bytes that were captured. Only the first refusal
-- of a packet is named, as a receiver names it.

local HEADER = 12
local MOST_EXTENSIONS = 10
local TCP, UDP = 6, 17
local ROUTER = "\0\1\91\56" .. ("\0"):rep(28) -- the router's serviceID, to which registrations go

local serval = Proto("serval", "Serval Service Access Layer")
serval.prefs.ip_protocol = Pref.uint("IP protocol", 144, "Protocol number of SAL in IP")
serval.prefs.udp_ports = Pref.range("UDP ports", "54324-54325", "Ports of the encapsulated form", 65535)

-- Extension types, with the lengths that a whole one may have and the number that a packet may have.
local TYPES = {
    [1] = { name = "CONTROL", least = 20, most = 20, step = 1, times = 1 },
    [2] = { name = "SERVICE", least = 36, most = 36, step = 1, times = 2 },
    [3] = { name = "ADDRESS", least = 16, most = 92, step = 4, times = 1 },
    [4] = { name = "SOURCE", least = 12, most = 84, step = 4, times = 1 },
    [5] = { name = "CAPABILITY", least = 8, most = 252, step = 4, times = 1 },
    [6] = { name = "HOPS", least = 24, most = 244, step = 20, times = 1 },
    [7] = { name = "TICKETS", least = 4, most = 92, step = 8, times = 1 },
}
local TYPE_NAMES = { [0] = "PAD" }
for number = 1, 15 do TYPE_NAMES[number] = TYPES[number] and TYPES[number].name or "free" end

-- In the order of a message's name: an ACK comes last.
local FLAGS = { { 0x80, "SYN" }, { 0x40, "RSYN" }, { 0x04, "FIN" }, { 0x08, "RST" }, { 0x10, "NACK" }, { 0x20, "ACK" } }
local ABILITIES = { { 0x01, "EXTENSIONS" }, { 0x02, "NATIVE" }, { 0x04, "HOPS" } }
local STATUS = { [0] = "bad", [1] = "good", [2] = "not verified", [3] = "none" }
local BAD, GOOD, UNVERIFIED, NONE = 0, 1, 2, 3

-- Fields, each with its filter name behind "serval.".
local fields = {}
local function field(kind, name, ...) fields[name] = ProtoField[kind]("serval." .. name, ...) end
field("uint32", "source_flow", "Source flowID", base.HEX)
field("uint32", "destination_flow", "Destination flowID", base.HEX)
field("uint8", "words", "Header words (shl)")
field("uint8", "protocol", "Protocol", base.DEC, { [TCP] = "TCP", [UDP] = "UDP" })
field("uint16", "checksum", "Checksum", base.HEX)
field("uint8", "checksum.status", "Checksum status", base.DEC, STATUS)
field("uint16", "checksum.calculated", "Calculated checksum", base.HEX)
field("string", "refused", "Refused")
field("string", "message", "Message")
field("string", "summary", "Summary")
field("bytes", "pad", "PAD")
field("uint8", "extension.type", "Type", base.DEC, TYPE_NAMES, 0xf0)
field("uint8", "extension.length", "Length")
field("bytes", "extension.reserved", "Reserved")
field("bytes", "extension.value", "Value")
field("uint8", "control.flags", "Flags", base.HEX)
for _, flag in ipairs(FLAGS) do
    field("bool", "control.flags." .. flag[2]:lower(), flag[2], 8, nil, flag[1])
end
field("uint8", "control.abilities", "Abilities", base.HEX)
for _, ability in ipairs(ABILITIES) do
    field("bool", "control.abilities." .. ability[2]:lower(), ability[2], 8, nil, ability[1])
    field("bool", "capability.abilities." .. ability[2]:lower(), ability[2], 32, nil, ability[1])
end
field("uint32", "control.verno", "verno")
field("uint32", "control.ackno", "ackno")
field("bytes", "control.nonce", "Nonce")
field("bytes", "service.id", "serviceID")
field("uint32", "address.verno", "verno")
field("uint32", "address.ackno", "ackno")
field("ipv4", "address.ipv4", "Address")
field("ipv4", "source.ipv4", "Address")
field("uint32", "capability.abilities", "Abilities", base.HEX)
field("bytes", "capability.later", "Words of a later version")
field("uint16", "hops.port", "Port")
field("ipv4", "hops.ipv4", "Address")
field("ipv6", "hops.ipv6", "Address")
field("bytes", "tickets.ticket", "Ticket")
field("uint16", "transport.checksum", "Transport checksum", base.HEX)
field("uint8", "transport.checksum.status", "Transport checksum status", base.DEC, STATUS)
field("string", "transport.refused", "Transport refused")
field("bytes", "transport.data", "Transport bytes")
field("uint8", "register.type", "Type", base.DEC, { [0] = "REGISTER", [1] = "UNREGISTER" })
field("uint8", "register.result", "Result")
field("uint16", "register.length", "Length")
field("uint32", "register.transaction", "Transaction (byte order of the sender)", base.HEX)
field("uint8", "register.flags", "Flags", base.HEX)
field("bool", "register.flags.again", "Again, after a move", 8, nil, 0x01)
field("uint8", "register.prefix", "Prefix bits (0: all, or the default rule)")
field("uint8", "register.rule_flags", "Flags of the rule", base.HEX)
field("ipv4", "register.ipv4", "Old address")
field("bytes", "register.id", "serviceID")
serval.fields = fields

-- Refusals of the page "Serval: the service access layer". RANGE is no refusal of bytes, so it is not here.
local experts = {}
local function refusal(prefix, name, text)
    local filter = "serval." .. prefix .. "refused." .. name:lower()
    text = name .. ": " .. text
    experts[prefix .. name] = ProtoExpert.new(filter, text, expert.group.MALFORMED, expert.severity.ERROR)
end
refusal("", "SHORT", "shorter than the header")
refusal("", "HEADER_LENGTH", "shl below 3")
refusal("", "HEADER_CUT", "shl beyond the packet")
refusal("", "CHECKSUM", "wrong checksum of the header")
refusal("", "EXTENSION_CUT", "an extension ends behind the header, or its length does")
refusal("", "EXTENSION_LENGTH", "a length below 2, or one that the type has not")
refusal("", "EXTENSION_COUNT", "more than ten extensions")
refusal("", "CONTROL_PLACE", "CONTROL behind another extension")
for _, kind in pairs(TYPES) do
    refusal("", kind.name .. "_REPEATED", "more than " .. kind.times .. " " .. kind.name)
end
refusal("", "FLAGS", "flags of CONTROL that do not go together")
refusal("", "FAMILY", "SOURCE in a packet of IPv6")
refusal("transport.", "PROTOCOL", "a transport other than TCP and UDP")
refusal("transport.", "LENGTH", "shorter or longer than the UDP header says")
refusal("transport.", "SHORT", "shorter than a TCP header")
refusal("transport.", "OFFSET", "the TCP header is below 20 bytes, or longer than the packet")
refusal("transport.", "OPTION", "a TCP option has a length that it cannot have")
refusal("transport.", "CHECKSUM", "wrong checksum of the transport")
local cut = ProtoExpert.new("serval.cut", "not captured to the end", expert.group.UNDECODED, expert.severity.NOTE)
local inner = ProtoExpert.new("serval.transport.cut", "the dissector of the transport stopped",
    expert.group.UNDECODED, expert.severity.NOTE)
serval.experts = { cut, inner }
for _, one in pairs(experts) do serval.experts[#serval.experts + 1] = one end

local ipv4_ends = { Field.new("ip.src"), Field.new("ip.dst") }
local ipv6_ends = { Field.new("ipv6.src"), Field.new("ipv6.dst") }
local transports = { [TCP] = Dissector.get("tcp"), [UDP] = Dissector.get("udp") }
local inside = false -- a SAL packet is being dissected; the transport of one may lead to another

local function has(value, bit) return math.floor(value / bit) % 2 == 1 end

-- Adds up big-endian words of 16 bits, the last one filled with 0.
local function sum(bytes)
    local total = 0
    for i = 1, #bytes - 1, 2 do
        local high, low = bytes:byte(i, i + 1)
        total = total + high * 256 + low
    end
    if #bytes % 2 == 1 then total = total + bytes:byte(#bytes) * 256 end
    return total
end

local function fold(total)
    while total > 0xffff do total = total % 0x10000 + math.floor(total / 0x10000) end
    return total
end

-- Returns the beginning of a serviceID for the Info column: 4 bytes, or 8 if the second four are not 0.
local function short_id(id)
    local shown = id:sub(5, 8) == "\0\0\0\0" and 4 or 8
    return id:sub(1, shown):gsub(".", function(c) return ("%02x"):format(c:byte()) end) .. "…"
end

-- Names the first refusal of the packet, of the kind "" or "transport.".
local function refuse(packet, prefix, name, item)
    if packet.refused[prefix] then return end
    packet.refused[prefix] = name
    packet.tree:add(fields[prefix .. "refused"], name):set_generated()
    item:add_proto_expert_info(experts[prefix .. name])
end

local function flags_go_together(flags)
    local syn, rsyn, fin, rst = has(flags, 0x80), has(flags, 0x40), has(flags, 0x04), has(flags, 0x08)
    if has(flags, 0x10) then return false end
    if (syn and (rsyn or fin or rst)) or (rst and (rsyn or fin)) then return false end
    return syn or rsyn or fin or rst or has(flags, 0x20)
end

local function message_name(flags)
    local names = {}
    for _, flag in ipairs(FLAGS) do
        if has(flags, flag[1]) then names[#names + 1] = flag[2] end
    end
    return #names > 0 and table.concat(names, "-") or "CONTROL without flags"
end

-- Adds a set of bits, one item for each that has a name.
local function add_bits(item, name, range, bits)
    local set = item:add(fields[name], range)
    for _, bit in ipairs(bits) do set:add(fields[name .. "." .. bit[2]:lower()], range) end
    return set
end

-- Readers of an extension whose length is one of its type, and which was captured. bytes is its range.
local readers = {}

readers[1] = function(packet, item, bytes)
    local flags = bytes(2, 1):uint()
    local set = add_bits(item, "control.flags", bytes(2, 1), FLAGS)
    add_bits(item, "control.abilities", bytes(3, 1), ABILITIES)
    item:add(fields["control.verno"], bytes(4, 4))
    item:add(fields["control.ackno"], bytes(8, 4))
    item:add(fields["control.nonce"], bytes(12, 8))
    packet.message = packet.message or message_name(flags)
    item:add(fields.message, message_name(flags)):set_generated()
    if not flags_go_together(flags) then packet.wrong_flags = set end
end

readers[2] = function(packet, item, bytes)
    item:add(fields["extension.reserved"], bytes(2, 2))
    item:add(fields["service.id"], bytes(4, 32))
    packet.services[#packet.services + 1] = bytes(4, 32):raw()
end

readers[3] = function(_, item, bytes)
    item:add(fields["extension.reserved"], bytes(2, 2))
    item:add(fields["address.verno"], bytes(4, 4))
    item:add(fields["address.ackno"], bytes(8, 4))
    for at = 12, bytes:len() - 4, 4 do item:add(fields["address.ipv4"], bytes(at, 4)) end
end

readers[4] = function(packet, item, bytes)
    item:add(fields["extension.reserved"], bytes(2, 2))
    for at = 4, bytes:len() - 4, 4 do item:add(fields["source.ipv4"], bytes(at, 4)) end
    packet.hops = (bytes:len() - 4) / 4
    if packet.ipv6 then packet.source_in_ipv6 = item end
end

readers[5] = function(_, item, bytes)
    item:add(fields["extension.reserved"], bytes(2, 2))
    add_bits(item, "capability.abilities", bytes(4, 4), ABILITIES)
    if bytes:len() > 8 then item:add(fields["capability.later"], bytes(8)) end
end

readers[6] = function(packet, item, bytes)
    item:add(fields["extension.reserved"], bytes(2, 2))
    for at = 4, bytes:len() - 20, 20 do
        item:add(fields["hops.port"], bytes(at + 2, 2))
        if bytes(at + 4, 12):raw() == ("\0"):rep(10) .. "\255\255" then
            item:add(fields["hops.ipv4"], bytes(at + 16, 4))
        else
            item:add(fields["hops.ipv6"], bytes(at + 4, 16))
        end
    end
    packet.hops = (bytes:len() - 4) / 20
end

readers[7] = function(packet, item, bytes)
    item:add(fields["extension.reserved"], bytes(2, 2))
    for at = 4, bytes:len() - 8, 8 do item:add(fields["tickets.ticket"], bytes(at, 8)) end
    packet.tickets = (bytes:len() - 4) / 8
end

-- Checks length, number and place of an extension that lies inside the header, and reads it.
local function extension(packet, item, at, number, length)
    local kind = TYPES[number]
    packet.count = packet.count + 1
    if packet.count > MOST_EXTENSIONS then refuse(packet, "", "EXTENSION_COUNT", item) end
    local fits = not kind or (length >= kind.least and length <= kind.most and (length - kind.least) % kind.step == 0)
    if not fits then refuse(packet, "", "EXTENSION_LENGTH", item) end
    if kind and fits then
        packet.times[number] = (packet.times[number] or 0) + 1
        if packet.times[number] > kind.times then refuse(packet, "", kind.name .. "_REPEATED", item) end
        if number == 1 and packet.count > 1 then refuse(packet, "", "CONTROL_PLACE", item) end
    end
    if at + length > packet.captured then return end
    if kind and fits then
        readers[number](packet, item, packet.tvb(at, length))
    elseif length > 2 then
        item:add(fields["extension.value"], packet.tvb(at + 2, length - 2))
    end
end

-- Adds a run of PADs as one item, and returns the index behind it.
local function pads(packet, at)
    local behind = at
    while behind < packet.readable and packet.tvb(behind, 1):uint() < 16 do behind = behind + 1 end
    packet.tree:add(fields.pad, packet.tvb(at, behind - at))
    return behind
end

local function extensions(packet)
    local at = HEADER
    packet.readable = math.min(packet.transport, packet.captured)
    while at < packet.readable do
        local number = math.floor(packet.tvb(at, 1):uint() / 16)
        if number == 0 then
            at = pads(packet, at)
        else
            local shown = math.min(2, packet.readable - at)
            local item = packet.tree:add(serval, packet.tvb(at, shown), TYPE_NAMES[number])
            item:add(fields["extension.type"], packet.tvb(at, 1))
            if packet.transport - at < 2 then return refuse(packet, "", "EXTENSION_CUT", item) end
            if shown < 2 then return end
            local length = packet.tvb(at + 1, 1):uint()
            item:add(fields["extension.length"], packet.tvb(at + 1, 1))
            if length < 2 then return refuse(packet, "", "EXTENSION_LENGTH", item) end
            if length > packet.transport - at then return refuse(packet, "", "EXTENSION_CUT", item) end
            item:set_len(math.min(length, packet.captured - at))
            extension(packet, item, at, number, length)
            at = at + length
        end
    end
end

-- Adds a checksum with its status. Returns the status.
local function add_checksum(item, name, range, status)
    item:add(fields[name], range)
    item:add(fields[name .. ".status"], range, status):set_generated()
    return status
end

-- Reads the header. Returns false if the extensions cannot be found.
local function header(packet)
    local tvb, tree = packet.tvb, packet.tree
    if packet.total < HEADER then
        refuse(packet, "", "SHORT", tree)
        return false
    elseif packet.captured < HEADER then
        return false
    end
    packet.flows = { tvb(0, 4):uint(), tvb(4, 4):uint() }
    tree:add(fields.source_flow, tvb(0, 4))
    tree:add(fields.destination_flow, tvb(4, 4))
    local words = tree:add(fields.words, tvb(8, 1))
    tree:add(fields.protocol, tvb(9, 1))
    packet.transport = tvb(8, 1):uint() * 4
    packet.protocol = tvb(9, 1):uint()
    local sound, status = packet.transport >= HEADER and packet.transport <= packet.total, UNVERIFIED
    if sound and packet.transport <= packet.captured then
        local total = sum(tvb(0, packet.transport):raw())
        status = fold(total) == 0xffff and GOOD or BAD
        if status == BAD then
            local calculated = 0xffff - fold(total - tvb(10, 2):uint())
            tree:add(fields["checksum.calculated"], tvb(10, 2), calculated):set_generated()
        end
    end
    add_checksum(tree, "checksum", tvb(10, 2), status)
    if packet.transport < HEADER then refuse(packet, "", "HEADER_LENGTH", words) end
    if packet.transport > packet.total then refuse(packet, "", "HEADER_CUT", words) end
    if status == BAD then refuse(packet, "", "CHECKSUM", tree) end
    return sound
end

-- Returns the bytes of the innermost IP source and destination, or "" if there are none.
local function addresses(packet)
    local bytes = ""
    for _, ends in ipairs(packet.ipv6 and ipv6_ends or ipv4_ends) do
        local found = { ends() }
        if #found > 0 then bytes = bytes .. found[#found].range:raw() end
    end
    return bytes
end

-- Verifies the checksum of the transport, with the flowIDs in the encapsulated form, else with the IP addresses.
local function transport_status(packet, range, length)
    if length > range:len() then return UNVERIFIED end
    local ends = packet.encapsulated and packet.tvb(0, 8):raw() or addresses(packet)
    if #ends ~= 8 and #ends ~= 32 then return UNVERIFIED end
    return fold(sum(ends) + packet.protocol + length + sum(range:raw())) == 0xffff and GOOD or BAD
end

-- Tells whether each option of a TCP header has a length that it may have.
local function options_fit(bytes)
    local at = 21
    while at <= #bytes do
        local kind, length = bytes:byte(at), bytes:byte(at + 1)
        if kind == 0 then return true end
        if kind == 1 then
            length = 1
        elseif not length or length < 2 or at + length - 1 > #bytes then
            return false
        elseif (kind == 2 and length ~= 4) or (kind == 3 and length ~= 3) or (kind == 4 and length ~= 2) then
            return false
        elseif kind == 5 and (length < 10 or (length - 2) % 8 ~= 0) then
            return false
        end
        at = at + length
    end
    return true
end

local function tcp(packet, range, length)
    if length < 20 then return refuse(packet, "transport.", "SHORT", packet.tree) end
    if range:len() < 20 then return end
    local offset = math.floor(range(12, 1):uint() / 16) * 4
    if offset < 20 or offset > length then return refuse(packet, "transport.", "OFFSET", packet.tree) end
    local status = transport_status(packet, range, length)
    add_checksum(packet.tree, "transport.checksum", range(16, 2), status)
    if status == BAD then return refuse(packet, "transport.", "CHECKSUM", packet.tree) end
    if offset <= range:len() and not options_fit(range(0, offset):raw()) then
        refuse(packet, "transport.", "OPTION", packet.tree)
    end
end

local function udp(packet, range, length)
    if length < 8 then return refuse(packet, "transport.", "LENGTH", packet.tree) end
    if range:len() < 8 then return end
    if range(4, 2):uint() ~= length then return refuse(packet, "transport.", "LENGTH", packet.tree) end
    local status = range(6, 2):uint() == 0 and NONE or transport_status(packet, range, length)
    add_checksum(packet.tree, "transport.checksum", range(6, 2), status)
    if status == BAD then refuse(packet, "transport.", "CHECKSUM", packet.tree) end
end

local function registration(packet, bytes)
    local item = packet.tree:add(serval, bytes, "Registration")
    item:add(fields["register.type"], bytes(0, 1))
    item:add(fields["register.result"], bytes(1, 1))
    item:add(fields["register.length"], bytes(2, 2))
    item:add(fields["register.transaction"], bytes(4, 4))
    item:add(fields["register.flags"], bytes(8, 1)):add(fields["register.flags.again"], bytes(8, 1))
    item:add(fields["register.prefix"], bytes(10, 1))
    item:add(fields["register.rule_flags"], bytes(11, 1))
    item:add(fields["register.ipv4"], bytes(12, 4))
    item:add(fields["register.id"], bytes(16, 32))
    packet.registration = (bytes(0, 1):uint() == 0 and "REGISTER " or "UNREGISTER ") .. short_id(bytes(16, 32):raw())
end

-- A registration is an unconnected datagram to the router's serviceID with 48 bytes of the right length and type.
local function is_registration(packet, range)
    return packet.protocol == UDP and not packet.message and packet.services[1] == ROUTER and range:len() == 56
        and range(8, 1):uint() <= 1 and range(10, 2):uint() == 48
end

local function info(packet)
    local refused = packet.refused[""] or packet.refused["transport."]
    local text = refused and "refused " .. refused .. ", " or ""
    if not packet.flows then return text .. "SAL of " .. packet.total .. " bytes" end
    local service, from = packet.services[1], packet.services[2]
    text = text .. (packet.registration or packet.message or (service and "datagram" or "data"))
    if service then text = text .. (packet.registration and " to " or " service ") .. short_id(service) end
    if from then text = text .. " from " .. short_id(from) end
    text = text .. (" flow %x -> %x"):format(packet.flows[1], packet.flows[2])
    if packet.hops then text = text .. (" hops %d"):format(packet.hops) end
    if packet.tickets then text = text .. (" tickets %d"):format(packet.tickets) end
    return text
end

-- Tells whether the dissector of the transport can read it. UDP's wants all of it, and TCP's the header.
local function readable(packet, range)
    if packet.refused[""] or packet.refused["transport."] or packet.nested then return false end
    if packet.protocol == UDP then return packet.captured == packet.total end
    return packet.protocol == TCP and range:len() >= 20 and range:len() >= math.floor(range(12, 1):uint() / 16) * 4
end

-- Gives the transport to the dissector of its protocol, which writes behind the fence of the Info column.
local function hand_over(packet, range, root)
    local columns, dissector = packet.pinfo.cols, transports[packet.protocol]
    if not readable(packet, range) then
        packet.tree:add(fields["transport.data"], range)
        return
    end
    columns.info:append(" | ")
    columns.info:fence()
    local done, why = pcall(dissector.call, dissector, range:tvb(), packet.pinfo, root)
    if not done then
        packet.tree:add_proto_expert_info(inner, "the dissector of the transport stopped: " .. tostring(why))
    end
end

local function dissect(packet, root)
    local range
    if header(packet) then
        extensions(packet)
        if packet.wrong_flags then refuse(packet, "", "FLAGS", packet.wrong_flags) end
        if packet.source_in_ipv6 then refuse(packet, "", "FAMILY", packet.source_in_ipv6) end
        local length = packet.total - packet.transport
        if length > 0 and packet.captured > packet.transport then
            range = packet.tvb(packet.transport, packet.captured - packet.transport)
        end
        if range and not packet.refused[""] then
            if packet.protocol == TCP then tcp(packet, range, length)
            elseif packet.protocol == UDP then udp(packet, range, length)
            else refuse(packet, "transport.", "PROTOCOL", packet.tree) end
            if not packet.refused["transport."] and is_registration(packet, range) then
                registration(packet, range(8, 48))
            end
        end
    end
    if packet.captured < packet.total then packet.tree:add_proto_expert_info(cut) end
    local text, columns = info(packet), packet.pinfo.cols
    packet.tree:append_text(", " .. text)
    packet.tree:add(fields.summary, text):set_generated()
    columns.info:set(text)
    if range then hand_over(packet, range, root) end
    columns.protocol:set("Serval")
end

function serval.dissector(tvb, pinfo, root)
    local packet = {
        tvb = tvb, pinfo = pinfo, tree = root:add(serval, tvb:range(0, tvb:len())),
        captured = tvb:len(), total = math.max(tvb:reported_len(), tvb:len()),
        encapsulated = pinfo.match ~= serval.prefs.ip_protocol,
        ipv6 = tostring(pinfo.net_src):find(":", 1, true) ~= nil,
        refused = {}, services = {}, times = {}, count = 0, nested = inside,
    }
    inside = true
    local done, why = pcall(dissect, packet, root)
    inside = packet.nested
    if not done then error(why, 0) end
    return tvb:len()
end

local added = {}

-- Takes the protocol number and the ports from the preferences.
local function register()
    local wanted = { ["ip.proto"] = serval.prefs.ip_protocol, ["udp.port"] = serval.prefs.udp_ports }
    for name, value in pairs(wanted) do
        if added[name] ~= value then
            if added[name] then DissectorTable.get(name):remove(added[name], serval) end
            DissectorTable.get(name):add(value, serval)
            added[name] = value
        end
    end
end

serval.prefs_changed = register
register()
