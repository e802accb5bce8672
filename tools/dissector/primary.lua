-- UR's primary and secondary interface: {uint32 size with the header; uint8 type; content}.
do
  local HEADER = 5
  local STATE, ROBOT_MESSAGE, PROGRAM_STATE = 16, 20, 25
  local BODY = HEADER + 10 -- of a robot message: uint64 clock, int8 source, int8 type
  local LARGEST, LARGEST_PART, CLOCK_MOST = 65535, 31, 2 ^ 17 -- the latter of a clock's upper half
  local proto = Proto("ur_primary", "UR primary interface")
  local list = {}

  for _, layout in ipairs(armtap.primary_layouts) do
    for _, row in ipairs(layout.rows) do
      if armtap.by_name[row.field] then
        armtap.by_name[row.field].primary = true
      end
    end
  end
  local shown = armtap.display_fields(list, "ur_primary", "primary", nil)

  local names_of_messages, names_of_parts = {}, {}
  local type_bytes = {}
  for i, message in ipairs(armtap.primary_messages) do
    type_bytes[i] = message.type
    names_of_messages[message.type] = message.name
  end
  local header_pattern = "\0\0.." .. armtap.byte_class(type_bytes)
  local robot_messages = {}
  for _, message in ipairs(armtap.robot_messages) do
    robot_messages[message.type] = message
    names_of_parts[message.type] = message.name
  end

  local f = {
    size = ProtoField.uint32("ur_primary.message_size", "message size"),
    type = ProtoField.uint8("ur_primary.message_type", "message type", base.DEC, names_of_messages),
    subpackage = ProtoField.string("ur_primary.subpackage", "sub-package"),
    clock = ProtoField.uint64("ur_primary.clock", "clock", base.DEC, nil, nil, "of the controller, in us"),
    source = ProtoField.int8("ur_primary.source", "source", base.DEC, armtap.primary_sources),
    robot_message = ProtoField.uint8("ur_primary.robot_message", "robot message", base.DEC, names_of_parts),
    text = ProtoField.string("ur_primary.text", "text"),
    title = ProtoField.string("ur_primary.title", "title"),
    code = ProtoField.int64("ur_primary.code", "code"),
    argument = ProtoField.int64("ur_primary.argument", "argument"),
    line = ProtoField.int64("ur_primary.line", "line"),
    column = ProtoField.int64("ur_primary.column", "column"),
    level = ProtoField.int64("ur_primary.level", "report level", base.DEC, armtap.primary_levels),
    other = ProtoField.string("ur_primary.other", "other part")
  }
  for _, one in pairs(f) do
    list[#list + 1] = one
  end
  proto.fields = list
  local members = {TEXT = f.text, TITLE = f.title, CODE = f.code, ARGUMENT = f.argument, LINE = f.line, COLUMN = f.column,
                   REPORT_LEVEL = f.level}

  local e = {
    error = armtap.finding_expert("ur_primary.error_code", "ur.error", expert.group.RESPONSE_CODE),
    exception = armtap.finding_expert("ur_primary.exception", "ur.exception", expert.group.RESPONSE_CODE),
    safety = armtap.finding_expert("ur_primary.safety", "ur.safety", expert.group.RESPONSE_CODE),
    not_shown = ProtoExpert.new("ur_primary.not_shown", "Variables are not decoded here: armtap explain shows them",
                                expert.group.UNDECODED, expert.severity.NOTE),
    place_lost = armtap.place_lost_expert("ur_primary"),
    cut = ProtoExpert.new("ur_primary.cut", "Message is too short", expert.group.MALFORMED, expert.severity.WARN)
  }
  local experts = {}
  for _, one in pairs(e) do
    experts[#experts + 1] = one
  end
  proto.experts = experts

  local conversations = {}
  function proto.init()
    conversations = {}
  end

  -- ---- numbers ----

  local widths = {BOOL = 1, INT8 = 1, UINT8 = 1, INT16 = 2, UINT16 = 2, INT32 = 4, UINT32 = 4, UINT64 = 8, FLOAT = 4, DOUBLE = 8}

  local function number_of(range, wire)
    if wire == "FLOAT" or wire == "DOUBLE" then
      return range:float()
    elseif wire == "INT8" then
      local number = range:uint()
      return number > 127 and number - 256 or number
    elseif wire == "INT16" or wire == "INT32" then
      return range:int()
    elseif wire == "UINT64" then
      return range:uint64()
    elseif wire == "BOOL" then
      return range:uint() ~= 0 and 1 or 0
    end
    return range:uint()
  end

  local function converted(number, row, bits)
    local bit = string.match(row.conversion, "^BIT_(%d)$")
    if bit then
      return bits + (number ~= 0 and 2 ^ tonumber(bit) or 0)
    elseif row.conversion == "SECONDS" then
      return number:tonumber() / 1e6
    elseif row.conversion == "MODE" and number == 255 then
      return -1
    elseif row.conversion == "TOOL_8" then
      local tool = math.floor(number / 256) % 4
      return number - tool * 256 + tool * 65536
    end
    return number
  end

  -- ---- states ----

  local MODE = 0
  local largest_cb2_mode = 0
  for _, layout in ipairs(armtap.primary_layouts) do
    for _, row in ipairs(layout.type == MODE and layout.generation == "cb2" and layout.rows or {}) do
      largest_cb2_mode = math.max(largest_cb2_mode, row.offset + widths[row.wire])
    end
  end

  local function fits(layout, tvb, generation)
    return (layout.generation == "ur" or layout.generation == generation) and tvb:len() >= layout.least and
           tvb:len() <= layout.most and (layout.flag == 0 or tvb(layout.flag, 1):uint() ~= 0)
  end

  local function add_number(tree, field, element, range, number, generation)
    if field.element == "BOOL" then
      tree:add(element, range, number ~= 0)
    elseif field.element == "UINT64" then
      tree:add(element, range, type(number) == "number" and UInt64(number % 4294967296, math.floor(number / 4294967296)) or number)
    else
      if type(number) ~= "number" then
        number = number:tonumber()
      end
      local item = tree:add(element, range, field.element == "DOUBLE" and number or math.floor(number))
      if field.values then
        item:append_text(armtap.suffix(field, number, generation))
      end
    end
  end

  -- A layout's rows as far as they are there.
  local function add_rows(tvb, tree, layout, generation)
    local bits = 0
    for _, row in ipairs(layout.rows) do
      local width = widths[row.wire]
      if row.offset + (row.count - 1) * row.stride + width > tvb:len() then
        return
      end
      local field = armtap.by_name[row.field]
      for i = 0, row.count - 1 do
        local range = tvb(row.offset + i * row.stride, width)
        local number = converted(number_of(range, row.wire), row, bits)
        if string.find(row.conversion, "^BIT_") then
          bits = number
        end
        if field and tree:referenced(shown[row.field][i + 1]) then
          add_number(tree, field, shown[row.field][i + 1], range, number, generation)
        end
      end
    end
  end

  local function subpackage(tvb, tree, generation)
    local part, named = 0, nil
    for _, layout in ipairs(armtap.primary_layouts) do
      if layout.type == tvb(4, 1):uint() then
        named = named or layout
        if layout.part == part and fits(layout, tvb, generation) then
          if part == 0 then
            tree = tree:add(f.subpackage, tvb(), layout.title)
          end
          add_rows(tvb, tree, layout, generation)
          part = part + 1
        end
      end
    end
    if part == 0 then
      tree:add(f.subpackage, tvb(), named and named.title or "type " .. tvb(4, 1):uint())
    end
  end

  local function subpackages(tvb)
    local at, all = HEADER, {}
    while at + HEADER <= tvb:len() do
      local size = tvb(at, 4):uint()
      if size < HEADER or at + size > tvb:len() then
        break
      end
      all[#all + 1] = tvb(at, size)
      at = at + size
    end
    return all, at == tvb:len()
  end

  local function state(tvb, tree, conversation)
    local all, is_whole = subpackages(tvb)
    local generation = nil
    for _, one in ipairs(all) do
      if one(4, 1):uint() == MODE then
        generation = generation or (one:len() <= largest_cb2_mode and "cb2" or "cb3e")
      end
    end
    conversation.generation = generation or conversation.generation
    for _, one in ipairs(all) do
      subpackage(one:tvb(), tree, generation)
    end
    if not is_whole then
      tree:add_proto_expert_info(e.cut)
    end
    return #all .. " sub-packages"
  end

  -- ---- messages ----

  -- The range of a part that begins at `at`; nil if it is not whole.
  local function range_of(tvb, at, part, length)
    local size = part.wire == "REST" and tvb:len() - at or part.wire == "SPAN" and length or widths[part.wire]
    return at + size <= tvb:len() and size, size
  end

  local function add_part(tree, part, range, is_text)
    local field = members[part.member]
    if is_text then
      local text = armtap.visible(string.match(range:raw(), "^(.-)%s*$"))
      tree:add(field or f.other, range, field and text or part.name .. ": " .. text)
      return text
    end
    local number = number_of(range, part.wire)
    if field and part.wire ~= "UINT64" then
      tree:add(field, range, Int64(number % 4294967296, number < 0 and 4294967295 or 0))
    else
      tree:add(f.other, range, part.name .. ": " .. tostring(number))
    end
    return number
  end

  -- One time through the parts; returns where the next begins, nil at the end.
  local function parts_once(tvb, tree, message, generation, at, said)
    local length = 0
    for _, part in ipairs(message.parts) do
      if part.generation == "ur" or part.generation == generation then
        local size = range_of(tvb, at, part, length)
        if not size then
          tree:add_proto_expert_info(e.cut)
          return nil
        end
        if size > 0 then
          local value = add_part(tree, part, tvb(at, size), part.wire == "REST" or part.wire == "SPAN")
          length = part.member == "LENGTH" and value or length
          said[part.member] = said[part.member] or value
        end
        at = at + size
      end
    end
    return message.repeated and at < tvb:len() and at or nil
  end

  local function robot_message(tvb, tree, conversation)
    if tvb:len() < BODY then
      tree:add_proto_expert_info(e.cut)
      return ""
    end
    local kind, said = tvb(BODY - 1, 1):uint(), {}
    tree:add(f.clock, tvb(HEADER, 8))
    tree:add(f.source, tvb(BODY - 2, 1))
    tree:add(f.robot_message, tvb(BODY - 1, 1))
    local message = robot_messages[kind]
    local at = message and BODY or nil
    while at do
      at = parts_once(tvb, tree, message, conversation.generation or "cb3e", at, said)
    end
    local line = (message and message.name or "type " .. kind) .. (said.TEXT and ": " .. said.TEXT or "")
    if message and message.name == "ERROR_CODE" then
      line = line .. string.format(" C%dA%d", said.CODE or 0, said.ARGUMENT or 0)
      tree:add_proto_expert_info(e.error, line)
    elseif message and message.name == "RUNTIME_EXCEPTION" then
      tree:add_proto_expert_info(e.exception, line)
    elseif message and message.name == "SAFETY_MODE" then
      tree:add_proto_expert_info(e.safety)
    end
    return line
  end

  -- Whether sub-packages follow one another from the header to just the end, as far as they have come.
  local function has_subpackages(tvb, from, to)
    local at = from + HEADER
    while at < to and at + HEADER <= tvb:len() do
      local size = tvb(at, 4):uint()
      if size < HEADER or tvb(at + 4, 1):uint() > LARGEST_PART then
        return false
      end
      at = at + size
    end
    return at > from + HEADER and at <= to and (at == to or tvb:len() < to)
  end

  local function is_robot_message(tvb, at, size)
    if size < BODY or tvb:len() < at + BODY then
      return false
    end
    local upper, lower = tvb(at + HEADER, 4):uint(), tvb(at + HEADER + 4, 4):uint()
    return robot_messages[tvb(at + BODY - 1, 1):uint()] and (upper < CLOCK_MOST or (upper == 2 ^ 32 - 1 and lower == upper))
  end

  -- A message that may begin at `at`: its size, and how much is to be said for it; nil if none can.
  local function size_at(tvb, at)
    local size, kind = tvb(at, 4):uint(), tvb(at + 4, 1):uint()
    if size < HEADER or size > LARGEST then
      return nil
    elseif (kind == STATE and has_subpackages(tvb, at, at + size)) or
           (kind == ROBOT_MESSAGE and is_robot_message(tvb, at, size)) then
      return size, armtap.SURE
    end
    local is_cut = tvb:len() < at + (kind == STATE and 2 * HEADER or BODY)
    local is_other = names_of_messages[kind] and kind ~= STATE and kind ~= ROBOT_MESSAGE
    return size, (is_other or (is_cut and names_of_messages[kind])) and armtap.MAYBE or armtap.DOUBT
  end

  local function message(tvb, pinfo, root, conversation)
    local kind = tvb(4, 1):uint()
    local tree = root:add(proto, tvb())
    tree:add(f.size, tvb(0, 4))
    tree:add(f.type, tvb(4, 1))
    local said = ""
    if kind == STATE then
      said = state(tvb, tree, conversation)
    elseif kind == ROBOT_MESSAGE then
      said = robot_message(tvb, tree, conversation)
    elseif kind == PROGRAM_STATE then
      tree:add_proto_expert_info(e.not_shown)
    end
    local line = (names_of_messages[kind] or "type " .. kind) .. (said ~= "" and ": " .. said or "")
    tree:append_text(", " .. line)
    pinfo.cols.protocol = "UR primary"
    if string.find(tostring(pinfo.cols.info), "primary ", 1, true) == 1 then
      pinfo.cols.info:append("; " .. line)
    else
      pinfo.cols.info = "primary " .. line
    end
    return tvb:len()
  end

  -- What clients send is text: programs.
  function proto.dissector(tvb, pinfo, tree)
    if armtap.has(armtap.ports.primary, pinfo.dst_port) and not armtap.has(armtap.ports.primary, pinfo.src_port) then
      local line = string.match(tvb:raw(0, math.min(tvb:len(), 80)), "^[^\r\n]*")
      tree:add(proto, tvb()):append_text(", URScript: " .. armtap.visible(line))
      pinfo.cols.protocol = "UR primary"
    else
      local conversation = armtap.conversation(conversations, function() return {flow = {}} end)
      armtap.packages({
        proto = proto, header = HEADER, pattern = header_pattern, lost = e.place_lost, on_hole = function() end, size_at = size_at,
        package = function(bytes) return message(bytes, pinfo, tree, conversation) end
      }, tvb, pinfo, tree, conversation.flow)
    end
    return tvb:len()
  end

  armtap.listen(proto, armtap.ports.primary)
end
