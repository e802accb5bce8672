-- UR's realtime packets: {int32 length with itself; cells of 8 bytes, all doubles}.
do
  local LENGTH_WORD, CELL = 4, 8
  local CLOCK_LEAST, CLOCK_MOST = 1e-3, 1e9 -- s
  local proto = Proto("ur_realtime", "UR realtime")
  local list = {}
  local shown = armtap.display_fields(list, "ur_realtime", "realtime", nil)
  local length_field = ProtoField.uint32("ur_realtime.length", "length")
  local script_field = ProtoField.string("ur_realtime.script", "URScript")
  list[#list + 1] = length_field
  list[#list + 1] = script_field
  proto.fields = list
  local unknown_size = armtap.finding_expert("ur_realtime.unknown_size", "rt.size.unknown", expert.group.UNDECODED)
  local experts = armtap.watch_experts("ur_realtime")
  local place_lost = armtap.place_lost_expert("ur_realtime")
  proto.experts = {unknown_size, place_lost, experts.stop, experts.state, experts.back, experts.jump}

  local conversations = {}
  function proto.init()
    conversations = {}
  end

  local layouts, longest = {}, nil
  for _, layout in ipairs(armtap.layouts) do
    layout.watched = armtap.watched_of(layout.fields, function() return "DOUBLE" end,
                                       function(i) return CELL * armtap.by_name[layout.fields[i]].count end)
    layouts[layout.size] = layout
    longest = layout
  end
  local largest = 4096

  local function add_integer(tree, shown_field, range, field, number, generation)
    if number ~= math.floor(number) then
      return
    end
    local item
    if field.element == "UINT64" then
      if number < 0 or number >= 2 ^ 64 then
        return
      end
      local high = math.floor(number / 2 ^ 32)
      item = tree:add(shown_field, range, UInt64.new(math.floor(number - high * 2 ^ 32), high))
    elseif number >= -2 ^ 31 and number < 2 ^ 32 then
      item = tree:add(shown_field, range, math.floor(number))
    end
    if item and field.values then
      item:append_text(armtap.suffix(field, number, generation))
    end
  end

  local function add_field(tvb, tree, field, offset, generation)
    for i, element in ipairs(shown[field.name]) do
      if tree:referenced(element) then
        local range = tvb(offset + CELL * (i - 1), CELL)
        if field.element == "DOUBLE" then
          tree:add(element, range)
        else
          add_integer(tree, element, range, field, range:float(), generation)
        end
      end
    end
  end

  local function packet(tvb, pinfo, root, conversation)
    local size = tvb:len()
    local tree = root:add(proto, tvb())
    tree:add(length_field, tvb(0, LENGTH_WORD))
    pinfo.cols.protocol = "UR realtime"
    pinfo.cols.info = string.format("realtime packet, %d bytes", size)
    local layout = layouts[size] or (size > longest.size and longest) or nil
    if not layouts[size] then
      tree:add_proto_expert_info(unknown_size)
    end
    if not pinfo.visited then
      conversation.size = conversation.size or size
    end
    local offset = LENGTH_WORD
    for _, name in ipairs(layout and layout.fields or {}) do
      local field = armtap.by_name[name]
      add_field(tvb, tree, field, offset, layout.generation)
      offset = offset + CELL * field.count
    end
    if layout then
      local watch = conversation.watch
      local place = {frame = pinfo.number, offset = tvb:offset(), visited = pinfo.visited}
      armtap.watch(watch, place, tvb, LENGTH_WORD, layout.watched, layout.generation)
      armtap.add_found(tree, watch, place, experts)
    end
    return size
  end

  -- A packet that may begin at `at`: its size, and how much is to be said for it; nil if none can.
  local function size_at(tvb, at, conversation)
    local size, clock = tvb(at, LENGTH_WORD):uint(), tvb(at + LENGTH_WORD, CELL):float()
    local is_clock = clock == 0 or (clock >= CLOCK_LEAST and clock <= CLOCK_MOST)
    if size < LENGTH_WORD + CELL or size > largest then
      return nil
    elseif not is_clock then
      return size, armtap.DOUBT
    end
    return size, (layouts[size] or size == conversation.size) and armtap.SURE or armtap.MAYBE
  end

  function proto.dissector(tvb, pinfo, tree)
    if armtap.has(armtap.ports.realtime, pinfo.dst_port) then
      local sub = tree:add(proto, tvb())
      armtap.add_program(sub, script_field, tvb())
      pinfo.cols.protocol = "UR realtime"
      pinfo.cols.info = "URScript"
      return tvb:len()
    end
    local conversation = armtap.conversation(conversations, function() return {watch = armtap.new_watch(), flow = {}} end)
    return armtap.packages({
      proto = proto, header = LENGTH_WORD + CELL, pattern = "\0\0[\1-\16]", lost = place_lost,
      on_hole = function() armtap.forget_clock(conversation.watch) end,
      size_at = function(bytes, at) return size_at(bytes, at, conversation) end,
      package = function(bytes) return packet(bytes, pinfo, tree, conversation) end
    }, tvb, pinfo, tree, conversation.flow)
  end

  armtap.listen(proto, armtap.ports.realtime)
end
