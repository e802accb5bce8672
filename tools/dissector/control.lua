-- External Control: what a driver's PC sends to the robot's program, in words of 32 bits without a header. The port, and
-- what fits whole segments, choose the layout of a connection.
do
  local WORD = 4
  local proto = Proto("ur_external_control", "UR External Control")
  local list, shown = {}, {}
  local scales = {RAW = 1, MILLI = armtap.control.milli, MICRO = armtap.control.micro}
  local point = armtap.control

  local function display_fields(name, count, is_whole)
    local made = shown[name] or {}
    shown[name] = made
    for i = #made, count - 1 do
      local label = count > 1 and name .. "_" .. i or name
      made[i + 1] = (is_whole and ProtoField.int32 or ProtoField.double)("ur_external_control." .. label, label)
      list[#list + 1] = made[i + 1]
    end
  end
  for _, value in ipairs(armtap.control_values) do
    display_fields(value.name, value.count, value.wire == "RAW")
  end
  for _, result in ipairs(armtap.control_results) do
    display_fields(result.name, 1, true)
  end
  local script_field = ProtoField.string("ur_external_control.script", "URScript")
  local request_field = ProtoField.string("ur_external_control.request", "request")
  list[#list + 1] = script_field
  list[#list + 1] = request_field
  proto.fields = list
  local unlike_others = ProtoExpert.new("ur_external_control.unlike_others", "Not what this connection had before",
                                        expert.group.UNDECODED, expert.severity.NOTE)
  proto.experts = {unlike_others}

  local conversations = {}
  function proto.init()
    conversations = {}
  end

  local selectors, bounds, values = {}, {}, {}
  for kind in pairs(armtap.control_kinds) do
    selectors[kind], bounds[kind], values[kind] = {}, {}, {}
  end
  for _, selector in ipairs(armtap.control_selectors) do
    table.insert(selectors[selector.kind], selector)
  end
  for _, bound in ipairs(armtap.control_bounds) do
    table.insert(bounds[bound.kind], bound)
  end
  for _, value in ipairs(armtap.control_values) do
    table.insert(values[value.kind], value)
  end

  local function word(tvb, at, number)
    return tvb(at + WORD * number, WORD):int()
  end

  -- Bit and name of what a message is for; the name is nil if the number is unknown.
  local function selector_of(tvb, at, kind)
    local number = word(tvb, at, armtap.control_kinds[kind].selector)
    for i, selector in ipairs(selectors[kind]) do
      if selector.number == number then
        return i - 1, selector.name
      end
    end
    return #selectors[kind] == 0 and 0 or point.unknown, nil
  end

  -- Drivers that state velocity and acceleration set the three words behind the flag to zero.
  local function conditions(tvb, at, kind, scale_known)
    local met = {ALWAYS = true}
    if kind ~= "POINT" then
      return met
    end
    met[scale_known and "SCALED" or "UNSCALED"] = true
    local has_profile = word(tvb, at, point.profile) >= 0 and word(tvb, at, point.profile + 1) >= 0
    for i = point.zeros, point.duration - 1 do
      has_profile = has_profile and word(tvb, at, i) == 0
    end
    met.PROFILE = has_profile
    met.Q_NEAR = has_profile and word(tvb, at, point.flag) == point.micro
    met.QUINTIC = word(tvb, at, point.blend) == point.quintic
    return met
  end

  local function values_of(tvb, at, layout, scale_known)
    local bit, met = selector_of(tvb, at, layout.kind), conditions(tvb, at, layout.kind, scale_known)
    local chosen = {}
    for _, value in ipairs(values[layout.kind]) do
      if math.floor(value.selectors / 2 ^ bit) % 2 == 1 and met[value.condition] and
         value.word + value.count <= layout.words then
        chosen[#chosen + 1] = value
      end
    end
    return chosen
  end

  local function is_zero_elsewhere(tvb, at, layout)
    local used = {}
    for _, value in ipairs(values_of(tvb, at, layout, false)) do
      for i = value.word, value.word + value.count - 1 do
        used[i] = true
      end
    end
    for i = 0, layout.words - 1 do
      if not used[i] and word(tvb, at, i) ~= 0 then
        return false
      end
    end
    return true
  end

  local function fits(tvb, at, layout, is_search)
    for _, bound in ipairs(bounds[layout.kind]) do
      for i = bound.word, bound.word + bound.count - 1 do
        local number = word(tvb, at, i)
        if (is_search or not bound.in_search) and (number < bound.least or number > bound.most) then
          return false
        end
      end
    end
    return layout.kind ~= "SCRIPT" or not is_search or is_zero_elsewhere(tvb, at, layout)
  end

  -- The first layout of which the segment has nothing but believable messages. Zeros alone may be anybody's, but for a
  -- script command without arguments.
  local function choose(tvb, port)
    local has_content = string.find(tvb:raw(), "[^\0]")
    for _, layout in ipairs(armtap.control_layouts) do
      local size = WORD * layout.words
      if layout.port == port and tvb:len() % size == 0 and (has_content or layout.kind == "SCRIPT") then
        local at = 0
        while at < tvb:len() and fits(tvb, at, layout, layout.kind == "SCRIPT") do
          at = at + size
        end
        if at == tvb:len() then
          return layout
        end
      end
    end
    return nil
  end

  -- From a duration on that would last too long in thousandths they are in millionths.
  local function knows_scale(conversation, tvb, at, layout, place)
    if layout.kind == "POINT" and not place.visited and word(tvb, at, point.duration) > point.longest_milli and
       not conversation.scaled then
      conversation.scaled = {frame = place.frame, offset = at}
    end
    local from = conversation.scaled
    return from and (from.frame < place.frame or (from.frame == place.frame and from.offset <= at))
  end

  local function add_value(tvb, at, tree, value)
    for i = 0, value.count - 1 do
      local number = word(tvb, at, value.word + i)
      tree:add(shown[value.name][i + 1], tvb(at + WORD * (value.word + i), WORD), number / scales[value.wire])
    end
  end

  local function add_message(tvb, at, pinfo, root, layout, scale_known)
    local range, kind = tvb(at, WORD * layout.words), armtap.control_kinds[layout.kind]
    local tree = root:add(proto, range)
    local _, name = selector_of(tvb, at, layout.kind)
    for _, value in ipairs(values_of(tvb, at, layout, scale_known)) do
      if value.wire == "RAW" then
        local item = tree:add(shown[value.name][1], tvb(at + WORD * value.word, WORD))
        if value.word == kind.selector and name then
          item:append_text(" " .. name)
        end
      else
        add_value(tvb, at, tree, value)
      end
    end
    tree:append_text(", " .. kind.title .. (name and " " .. name or ""))
    pinfo.cols.info = kind.title .. (name and " " .. name or "")
  end

  local function conversation_of()
    return armtap.conversation(conversations, function() return {} end)
  end

  -- Whether this packet, or one before, showed that the port is a driver's.
  local function is_known(conversation, pinfo)
    return conversation.since and pinfo.number >= conversation.since
  end

  local function to_robot(tvb, pinfo, root, port)
    local conversation = conversation_of()
    local place = {frame = pinfo.number, visited = pinfo.visited}
    if not conversation.layout and not pinfo.visited then
      conversation.layout = choose(tvb, port)
      conversation.since = conversation.layout and pinfo.number
    end
    local layout = is_known(conversation, pinfo) and conversation.layout or nil
    if not layout then
      return false
    end
    local at, size = 0, WORD * layout.words
    while tvb:len() - at >= size do
      if not fits(tvb, at, layout, false) then
        root:add(proto, tvb(at)):add_proto_expert_info(unlike_others)
        return true
      end
      add_message(tvb, at, pinfo, root, layout, knows_scale(conversation, tvb, at, layout, place))
      at = at + size
    end
    if at < tvb:len() then
      pinfo.desegment_offset = at
      pinfo.desegment_len = size - (tvb:len() - at)
    end
    return true
  end

  local function result_name(port)
    for _, result in ipairs(armtap.control_results) do
      if result.port == port then
        return result.name
      end
    end
    return nil
  end

  local function has_results_only(tvb)
    for at = 0, tvb:len() - WORD, WORD do
      local number = word(tvb, at, 0)
      if number < armtap.control.result_least or number > armtap.control.result_most then
        return false
      end
    end
    return tvb:len() % WORD == 0
  end

  local function from_robot(tvb, pinfo, root, port)
    local name, conversation = result_name(port), conversation_of()
    if name and is_known(conversation, pinfo) and has_results_only(tvb) then
      local tree = root:add(proto, tvb())
      for at = 0, tvb:len() - WORD, WORD do
        tree:add(shown[name][1], tvb(at, WORD))
      end
      pinfo.cols.info = name
    elseif port == armtap.control.script_port and tvb:raw() == armtap.control.request then
      armtap.add_text(root:add(proto, tvb()), request_field, tvb())
      pinfo.cols.info = "request"
      conversation.since = conversation.since or pinfo.number
    else
      return false
    end
    return true
  end

  -- A program was asked for, or text begins like one.
  local function script(tvb, pinfo, root)
    local conversation, text = conversation_of(), tvb:raw()
    if not conversation.since and (string.find(text, "^%s*def ") or string.find(text, "^%s*#")) then
      conversation.since = pinfo.number
    end
    if not is_known(conversation, pinfo) or string.find(text, "\0", 1, true) then
      return false
    end
    armtap.add_program(root:add(proto, tvb()), script_field, tvb())
    pinfo.cols.info = "URScript"
    return true
  end

  -- Clients of other servers have these ports, too: what does not look like a driver's is left to others.
  function proto.dissector(tvb, pinfo, root)
    local ports = armtap.ports.external_control
    local is_to_robot = armtap.has(ports, pinfo.src_port)
    local port = is_to_robot and pinfo.src_port or pinfo.dst_port
    local is_taken
    if not is_to_robot then
      is_taken = from_robot(tvb, pinfo, root, port)
    elseif port == armtap.control.script_port then
      is_taken = script(tvb, pinfo, root)
    else
      is_taken = to_robot(tvb, pinfo, root, port)
    end
    if not is_taken then
      return 0
    end
    pinfo.cols.protocol = "UR External Control"
    return tvb:len()
  end

  armtap.listen(proto, armtap.ports.external_control)
end
