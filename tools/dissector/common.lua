-- What all protocols share: fields by name, display fields, values with their names.
-- Lua 5.2 to 5.4: no bit32, no //.
set_plugin_info({version = armtap.version, description = "Robot telemetry", repository = ""})

armtap.by_name = {}
for _, field in ipairs(armtap.fields) do
  armtap.by_name[field.name] = field
end

-- Types whose values a display field of the table's type can hold.
armtap.fits = {
  BOOL = {BOOL = true},
  UINT8 = {UINT8 = true, UINT32 = true, INT32 = true, BOOL = true},
  UINT32 = {UINT8 = true, UINT32 = true, BOOL = true},
  UINT64 = {UINT64 = true},
  INT32 = {INT32 = true, UINT8 = true, BOOL = true},
  DOUBLE = {DOUBLE = true}
}

-- UR's numbers that are the same on all its robots are not AUBO's.
local function is_of(value, generation)
  return value.generation == generation or (value.generation == "ur" and generation ~= "aubo")
end

-- {[number] = name} as Wireshark wants it, nil without names; bits are written by armtap.suffix.
local function value_string(field, generation)
  local names = nil
  for _, value in ipairs(field.values or {}) do
    if value.value and is_of(value, generation) then
      names = names or {}
      names[value.value] = value.name
    end
  end
  return names
end

-- `generation`: whose names a display filter knows; nil if they depend on the packet.
local function display_field(abbreviation, label, field, generation)
  local names = generation and value_string(field, generation) or nil
  local tip = field.unit ~= "" and field.meaning .. " [" .. field.unit .. "]" or field.meaning
  if field.element == "BOOL" then
    return ProtoField.bool(abbreviation, label, base.NONE, nil, nil, tip)
  elseif field.element == "UINT8" or field.element == "UINT32" then
    return ProtoField.uint32(abbreviation, label, base.DEC, names, nil, tip)
  elseif field.element == "UINT64" then
    return ProtoField.uint64(abbreviation, label, base.DEC, nil, nil, tip)
  elseif field.element == "INT32" then
    return ProtoField.int32(abbreviation, label, base.DEC, names, nil, tip)
  end
  return ProtoField.double(abbreviation, label, tip)
end

-- Adds to `list` a display field for each element of the fields that `wanted` selects; returns them by field name.
function armtap.display_fields(list, prefix, wanted, generation)
  local by_name = {}
  for _, field in ipairs(armtap.fields) do
    if field[wanted] then
      local elements = {}
      for i = 0, field.count - 1 do
        local label = field.count > 1 and field.name .. "_" .. i or field.name
        local made = display_field(prefix .. "." .. string.lower(label), label, field, generation)
        elements[i + 1] = made
        list[#list + 1] = made
      end
      by_name[field.name] = elements
    end
  end
  return by_name
end

-- " RUNNING", or the names of the bits that are set; "" without names.
function armtap.suffix(field, number, generation)
  local names = {}
  for _, value in ipairs(field.values or {}) do
    local is_set = value.bit and math.floor(number / 2 ^ value.bit) % 2 == 1
    if value.value == number and is_of(value, generation) then
      return " " .. value.name
    elseif is_set then
      names[#names + 1] = value.name
    end
  end
  return #names > 0 and " " .. table.concat(names, ", ") or ""
end

local least_code = {0, 0x80, 0x800, 0x10000} -- of a character of one to four bytes

-- Length and code of the character there; nil if it is no UTF-8.
local function character(text, at)
  local first = string.byte(text, at)
  local length = first < 0x80 and 1 or first >= 0xF0 and 4 or first >= 0xE0 and 3 or 2
  local code = length == 1 and first or first % 2 ^ (7 - length)
  if first >= 0x80 and (first < 0xC0 or first >= 0xF8) then
    return nil
  end
  for i = at + 1, at + length - 1 do
    local byte = string.byte(text, i) or 0
    if byte < 0x80 or byte >= 0xC0 then
      return nil
    end
    code = code * 64 + byte % 64
  end
  if code < least_code[length] or code > 0x10FFFF or (code >= 0xD800 and code <= 0xDFFF) then
    return nil
  end
  return length, code
end

local function is_hidden(code)
  for _, range in ipairs(armtap.hidden) do
    if code >= range[1] and code <= range[2] then
      return true
    end
  end
  return false
end

-- Bytes of a packet as text: controls, what is invisible, and bytes that are no UTF-8 become \xHH. Wireshark prints lines
-- and expert information as they are, and tshark what -T fields asks for. `kept`: characters that stay nevertheless.
function armtap.visible(text, kept)
  local parts, at = {}, 1
  if not string.find(text, "[^ -~]") then
    return text
  end
  while at <= #text do
    local length, code = character(text, at)
    if length and (not is_hidden(code) or (length == 1 and kept and string.find(kept, string.char(code), 1, true))) then
      parts[#parts + 1] = string.sub(text, at, at + length - 1)
    else
      length = 1
      parts[#parts + 1] = string.format("\\x%02x", string.byte(text, at))
    end
    at = at + length
  end
  return table.concat(parts)
end

-- Adds a text; returns it as it is shown.
function armtap.add_text(tree, field, range)
  local text = armtap.visible(range:raw())
  tree:add(field, range, text)
  return text
end

-- Several lines, as they are.
function armtap.add_program(tree, field, range)
  tree:add(field, range, armtap.visible(range:raw(), "\n\t"))
end

armtap.stream_number = Field.new("tcp.stream")

-- State by connection: make() where there is none. Written only on the first pass.
function armtap.conversation(table_of, make)
  local number = armtap.stream_number()
  local key = number and number.value or -1
  local one = table_of[key]
  if not one then
    one = make()
    table_of[key] = one
  end
  return one
end

local function is_before(one, frame, offset)
  return one.frame < frame or (one.frame == frame and one.offset < offset)
end

-- The last of a list that stands before this place, and its index; all have `frame` and `offset`, in order.
function armtap.last_before(list, frame, offset)
  local least, most = 0, #list
  while least < most do
    local middle = math.ceil((least + most) / 2)
    if is_before(list[middle], frame, offset) then
      least = middle
    else
      most = middle - 1
    end
  end
  return list[least], least
end

-- Whichever stands later; each may be nil.
function armtap.later(one, other)
  return (one and other and is_before(one, other.frame, other.offset) or not one) and other or one
end

-- What waits for its answer. Taken from the front in the same time, however much waits.
function armtap.new_queue()
  return {first = 1, last = 0}
end

function armtap.put(queue, value)
  queue.last = queue.last + 1
  queue[queue.last] = value
end

function armtap.take(queue)
  local value = queue[queue.first]
  if value ~= nil then
    queue[queue.first] = nil
    queue.first = queue.first + 1
  end
  return value
end

-- ---- expert information ----

local SEVERITIES = {error = expert.severity.ERROR, warning = expert.severity.WARN, notice = expert.severity.NOTE,
                    info = expert.severity.CHAT}

-- What diagnose finds with that id, in its words.
function armtap.finding_expert(name, id, group)
  local finding = armtap.findings[id]
  return ProtoExpert.new(name, (finding.meaning:gsub("^%l", string.upper)), group, SEVERITIES[finding.severity])
end

-- ---- packages with a size in their header, and where they begin after lost segments ----

armtap.SURE, armtap.MAYBE, armtap.DOUBT = 2, 1, 0

function armtap.place_lost_expert(prefix)
  return ProtoExpert.new(prefix .. ".place_lost", "Bytes that begin no package: segments were lost before them",
                         expert.group.REASSEMBLE, expert.severity.WARN)
end

-- What a header at `at` says: size and trust; as many bytes as are left if it has not come whole.
local function seen_at(how, tvb, at)
  if tvb:len() - at < how.header then
    return tvb:len() - at, armtap.MAYBE
  end
  return how.size_at(tvb, at)
end

-- The size of the package that is expected at `at`; nil if none is believed to begin there.
local function size_in_step(how, tvb, at)
  local size, trust = how.size_at(tvb, at)
  local left = size and tvb:len() - at - size
  local is_believed = size and (trust == armtap.SURE or left == 0 or (left > 0 and seen_at(how, tvb, at + size)) or
                                (left < 0 and trust == armtap.MAYBE))
  return is_believed and size or nil
end

-- Whether a package begins at `at`, where any byte may stand.
local function begins_anew(how, tvb, at)
  local size, trust = how.size_at(tvb, at)
  if not size or tvb:len() - at <= size then
    return size and trust == armtap.SURE
  end
  local next_size, next_trust = seen_at(how, tvb, at + size)
  return next_size and (trust == armtap.SURE or next_trust == armtap.SURE or next_size == size)
end

-- Where the next package begins behind `at`, and its size; the size is nil if none begins in these bytes.
local function next_begin(how, tvb, at)
  local bytes, last = tvb:raw(), tvb:len() - how.header
  local found = string.find(bytes, how.pattern, at + 2) -- counted from 1
  while found and found - 1 <= last do
    if begins_anew(how, tvb, found - 1) then
      return found - 1, (how.size_at(tvb, found - 1))
    end
    found = string.find(bytes, how.pattern, found + 1)
  end
  return math.max(at + how.header, tvb:len() - how.header + 1) -- where one may begin that is cut
end

-- For a pattern: one of these bytes.
function armtap.byte_class(bytes)
  local words = {}
  for i, byte in ipairs(bytes) do
    words[i] = string.gsub(string.char(byte), "%W", "%%%0")
  end
  return "[" .. table.concat(words) .. "]"
end

local next_sequence = Field.new("tcp.nxtseq")

-- Where in its direction a segment's bytes begin, nil if they are put together from several: then none is missing.
local function place_in_stream(tvb)
  local number = tvb:offset() > 0 and next_sequence()
  return number and (number.value - tvb:len()) % 2 ^ 32 or nil
end

-- Calls how.package(tvb) for each. how.size_at(tvb, at) returns the size of what begins there and how much is to be said
-- for it, nil if nothing can; `how` also has `proto`, `header` (its length), `pattern`, which all headers match, and `lost`, an
-- expert. Where no package begins, bytes are passed over up to the next one. `flow`, of one direction: how.on_hole() is called
-- before what does not follow upon the bytes before.
function armtap.packages(how, tvb, pinfo, root, flow)
  local start = not pinfo.visited and (place_in_stream(tvb) or flow.next)
  local passed -- bytes before the package in what length_of() announced last
  if start and flow.next and start ~= flow.next then
    how.on_hole()
  end
  local function length_of(bytes, _, at)
    local size = size_in_step(how, bytes, at)
    passed = 0
    if size then
      return size
    end
    local begin
    begin, size = next_begin(how, bytes, at)
    passed = math.min(begin, bytes:len()) - at
    -- Wireshark takes less than a header for an error: so few go with the package.
    return passed < how.header and passed + size or passed
  end
  local function take(bytes)
    local length = math.min(passed, bytes:len())
    if length > 0 then
      root:add(how.proto, bytes(0, length)):add_proto_expert_info(how.lost, length .. " bytes begin no package")
    end
    if length < bytes:len() then
      how.package(length > 0 and bytes(length):tvb() or bytes)
    end
    flow.next = start and (start + bytes:offset() - tvb:offset() + bytes:len()) % 2 ^ 32
    return bytes:len()
  end
  flow.next = start
  dissect_tcp_pdus(tvb, root, how.header, length_of, take)
  return tvb:len()
end

function armtap.has(list, wanted)
  for _, one in ipairs(list) do
    if one == wanted then
      return true
    end
  end
  return false
end

function armtap.listen(proto, ports)
  for _, port in ipairs(ports) do
    DissectorTable.get("tcp.port"):add(port, proto)
  end
end
