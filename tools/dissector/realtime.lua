-- UR's realtime packets: {int32 length with itself; cells of 8 bytes, all doubles}.
do
  local LENGTH_WORD, CELL = 4, 8
  local proto = Proto("ur_realtime", "UR realtime")
  local list = {}
  local shown = armtap.display_fields(list, "ur_realtime", "realtime", nil)
  local length_field = ProtoField.uint32("ur_realtime.length", "length")
  local script_field = ProtoField.string("ur_realtime.script", "URScript")
  list[#list + 1] = length_field
  list[#list + 1] = script_field
  proto.fields = list
  local unknown_size = ProtoExpert.new("ur_realtime.unknown_size", "Undocumented size", expert.group.UNDECODED,
                                       expert.severity.NOTE)
  local experts = armtap.watch_experts("ur_realtime")
  proto.experts = {unknown_size, experts.stop, experts.back, experts.jump}

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

  local function packet(tvb, pinfo, root)
    local size = tvb:len()
    local tree = root:add(proto, tvb())
    tree:add(length_field, tvb(0, LENGTH_WORD))
    pinfo.cols.protocol = "UR realtime"
    pinfo.cols.info = string.format("realtime packet, %d bytes", size)
    local layout = layouts[size] or (size > longest.size and longest) or nil
    if not layouts[size] then
      tree:add_proto_expert_info(unknown_size)
    end
    local offset = LENGTH_WORD
    for _, name in ipairs(layout and layout.fields or {}) do
      local field = armtap.by_name[name]
      add_field(tvb, tree, field, offset, layout.generation)
      offset = offset + CELL * field.count
    end
    if layout then
      local watch = armtap.conversation(conversations, armtap.new_watch)
      local place = {frame = pinfo.number, offset = tvb:offset(), visited = pinfo.visited}
      armtap.watch(watch, place, tvb, LENGTH_WORD, layout.watched, layout.generation)
      armtap.add_found(tree, watch, place, experts)
    end
    return size
  end

  local function length_of(tvb, _, offset)
    local length = tvb(offset, LENGTH_WORD):uint()
    -- What is no packet is passed over to the end of the segment.
    return (length >= LENGTH_WORD + CELL and length <= largest) and length or tvb:len() - offset
  end

  local function dissect(tvb, pinfo, tree)
    local first = tvb:len() >= LENGTH_WORD and tvb(0, LENGTH_WORD):uint() or LENGTH_WORD + CELL
    if first < LENGTH_WORD + CELL or first > largest then
      return 0
    end
    return packet(tvb, pinfo, tree)
  end

  function proto.dissector(tvb, pinfo, tree)
    if armtap.has(armtap.ports.realtime, pinfo.dst_port) then
      local sub = tree:add(proto, tvb())
      armtap.add_program(sub, script_field, tvb())
      pinfo.cols.protocol = "UR realtime"
      pinfo.cols.info = "URScript"
      return tvb:len()
    end
    dissect_tcp_pdus(tvb, tree, LENGTH_WORD, length_of, dissect)
    return tvb:len()
  end

  armtap.listen(proto, armtap.ports.realtime)
end
