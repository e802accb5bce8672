-- UR's RTDE, protocols 1 to 3: {uint16 size with the header; uint8 type; content}.
do
  local HEADER, TEXT_MOST = 3, 516
  local proto = Proto("ur_rtde", "UR RTDE")
  local list = {}
  local shown = armtap.display_fields(list, "ur_rtde", "rtde", "cb3e")

  local names_of_types, rows, types, type_bytes = {}, {}, {}, {}
  for _, package in ipairs(armtap.rtde_packages) do
    type_bytes[#type_bytes + 1] = package.type
    names_of_types[package.type] = package.name
    rows[package.type] = package
    types[string.gsub(package.id, "^ARMTAP_RTDE_", "")] = package.type
  end
  local header_pattern = ".." .. armtap.byte_class(type_bytes)

  local f = {
    size = ProtoField.uint16("ur_rtde.package_size", "package size"),
    type = ProtoField.uint8("ur_rtde.package_type", "package type", base.DEC, names_of_types),
    version = ProtoField.uint16("ur_rtde.protocol_version", "protocol version"),
    accepted = ProtoField.bool("ur_rtde.accepted", "accepted", base.NONE, nil, nil, "whether the controller agrees"),
    release = ProtoField.string("ur_rtde.release", "release of the controller"),
    frequency = ProtoField.double("ur_rtde.frequency", "frequency", "Hz"),
    id = ProtoField.uint8("ur_rtde.recipe_id", "recipe id"),
    names = ProtoField.string("ur_rtde.names", "names"),
    types = ProtoField.string("ur_rtde.types", "types"),
    level = ProtoField.uint8("ur_rtde.level", "level"),
    text = ProtoField.string("ur_rtde.text", "text"),
    source = ProtoField.string("ur_rtde.source", "source"),
    recipe = ProtoField.framenum("ur_rtde.recipe_frame", "recipe set up in"),
    other = ProtoField.string("ur_rtde.other", "other field", base.NONE, "a name or type that armtap's table lacks"),
    refused = ProtoField.string("ur_rtde.refused", "refused")
  }
  for _, one in pairs(f) do
    list[#list + 1] = one
  end
  proto.fields = list

  local e = {
    refused = ProtoExpert.new("ur_rtde.fields_refused", "Fields refused", expert.group.RESPONSE_CODE, expert.severity.ERROR),
    denied = ProtoExpert.new("ur_rtde.denied", "The controller does not agree", expert.group.RESPONSE_CODE,
                             expert.severity.ERROR),
    no_recipe = ProtoExpert.new("ur_rtde.no_recipe", "No recipe seen: give one in the preferences", expert.group.UNDECODED,
                                expert.severity.NOTE),
    other_name = ProtoExpert.new("ur_rtde.other_name", "No field has a name of the preferences' recipe", expert.group.UNDECODED,
                                 expert.severity.WARN),
    other_size = ProtoExpert.new("ur_rtde.other_size", "Values do not fill the recipe", expert.group.MALFORMED,
                                 expert.severity.WARN),
    text_error = armtap.finding_expert("ur_rtde.text_error", "rtde.text.error", expert.group.RESPONSE_CODE),
    text_warning = armtap.finding_expert("ur_rtde.text_warning", "rtde.text.warning", expert.group.RESPONSE_CODE),
    text_info = armtap.finding_expert("ur_rtde.text_info", "rtde.text.info", expert.group.RESPONSE_CODE),
    place_lost = armtap.place_lost_expert("ur_rtde"),
    cut = ProtoExpert.new("ur_rtde.cut", "Package is too short", expert.group.MALFORMED, expert.severity.WARN)
  }
  local experts = {}
  for _, one in pairs(e) do
    experts[#experts + 1] = one
  end
  local changes = armtap.watch_experts("ur_rtde")
  for _, one in pairs(changes) do
    experts[#experts + 1] = one
  end
  proto.experts = experts

  proto.prefs.recipe = Pref.string("Recipe", "", "Fields of output packages whose setup was not captured: timestamp,actual_q")
  proto.prefs.protocol = Pref.enum("Protocol without a handshake", 2, "The version where none was captured",
                                   {{1, "1", 1}, {2, "2", 2}, {3, "3", 3}}, false)

  -- ---- conversations ----

  local conversations = {}
  function proto.init()
    conversations = {}
  end

  local function new_conversation()
    return {versions = {}, outputs = {}, inputs = {}, watches = {}, flows = {},
            waiting = {version = armtap.new_queue(), outputs = armtap.new_queue(), inputs = armtap.new_queue()}}
  end

  local function forget_clocks(conversation)
    for _, watch in pairs(conversation.watches) do
      armtap.forget_clock(watch)
    end
  end

  local function split(text)
    local parts = {}
    for part in string.gmatch(text, "[^,]+") do
      part = string.match(part, "^%s*(.-)%s*$")
      if part ~= "" then
        parts[#parts + 1] = part
      end
    end
    return parts
  end

  local function protocol_at(place)
    local version = armtap.last_before(place.conversation.versions, place.frame, place.offset)
    if version then
      return version.protocol
    end
    -- Before the handshake, protocol 1 applies; without any in the capture, the preference.
    return #place.conversation.versions > 0 and 1 or tonumber(proto.prefs.protocol)
  end

  local function queue(place, kind, value)
    if not place.visited then
      armtap.put(place.conversation.waiting[kind], value)
    end
  end

  local function answered(place, kind)
    return armtap.take(place.conversation.waiting[kind])
  end

  -- ---- contents ----

  local function rest(tvb, from)
    return tvb:len() > from and tvb(from) or nil
  end

  local function add_string(tree, field, range)
    return range and armtap.add_text(tree, field, range) or ""
  end

  local function version(tvb, tree, place)
    if place.to_robot and tvb:len() >= HEADER + 2 then
      tree:add(f.version, tvb(HEADER, 2))
      queue(place, "version", tvb(HEADER, 2):uint())
      return tostring(tvb(HEADER, 2):uint())
    elseif not place.to_robot and tvb:len() > HEADER then
      local accepted = tvb(HEADER, 1):uint() ~= 0
      tree:add(f.accepted, tvb(HEADER, 1))
      if not accepted then
        tree:add_proto_expert_info(e.denied)
      end
      if not place.visited then
        local asked = answered(place, "version")
        if asked and accepted then
          local all = place.conversation.versions
          all[#all + 1] = {frame = place.frame, offset = place.offset, protocol = asked}
        end
      end
      return accepted and "accepted" or "refused"
    end
    return ""
  end

  local function controller_version(tvb, tree, place)
    local numbers = {}
    if place.to_robot then
      return ""
    end
    for at = HEADER, tvb:len() - 4, 4 do
      numbers[#numbers + 1] = tvb(at, 4):uint()
    end
    local release = table.concat(numbers, ".")
    if #numbers > 0 then
      tree:add(f.release, tvb(HEADER), release)
    end
    return release
  end

  -- 0 and 1: exception and error; 2: warning.
  local function say_level(tree, level, text)
    local kind = level <= 1 and e.text_error or level == 2 and e.text_warning or e.text_info
    tree:add_proto_expert_info(kind, text)
  end

  local function text_short(tvb, tree)
    if tvb:len() <= HEADER then
      return ""
    end
    tree:add(f.level, tvb(HEADER, 1))
    local text = add_string(tree, f.text, rest(tvb, HEADER + 1))
    say_level(tree, tvb(HEADER, 1):uint(), text)
    return text
  end

  local function counted(tvb, tree, field, at)
    if tvb:len() <= at or tvb:len() < at + 1 + tvb(at, 1):uint() then
      return nil, at
    end
    local length = tvb(at, 1):uint()
    local text = length > 0 and add_string(tree, field, tvb(at + 1, length)) or ""
    return text, at + 1 + length
  end

  local function text_message(tvb, tree, place)
    if protocol_at(place) == 1 and not place.to_robot then
      return text_short(tvb, tree)
    end
    local text, at = counted(tvb, tree, f.text, HEADER)
    local source
    if text then
      source, at = counted(tvb, tree, f.source, at)
    end
    if not source or tvb:len() <= at then
      tree:add_proto_expert_info(e.cut)
      return text or ""
    end
    tree:add(f.level, tvb(at, 1))
    say_level(tree, tvb(at, 1):uint(), text)
    return text
  end

  -- Clients of protocol 1 need no handshake: their request begins with a name, later ones with a frequency.
  local function shows_protocol_1(tvb, place)
    local versions = place.conversation.versions
    if not place.visited and #versions == 0 and tvb:len() > HEADER and string.find(tvb(HEADER, 1):string(), "^%a") then
      versions[1] = {frame = place.frame, offset = place.offset - 1, protocol = 1}
    end
  end

  local function request(tvb, tree, place, kind)
    local at = HEADER
    if kind == "outputs" then
      shows_protocol_1(tvb, place)
    end
    if kind == "outputs" and protocol_at(place) > 1 then
      if tvb:len() < HEADER + 8 then
        tree:add_proto_expert_info(e.cut)
        return ""
      end
      tree:add(f.frequency, tvb(HEADER, 8))
      at = HEADER + 8
    end
    local names = add_string(tree, f.names, rest(tvb, at))
    queue(place, kind, split(names))
    return #split(names) .. " fields"
  end

  local function refusals(tree, recipe)
    local words = {}
    for i, type_name in ipairs(recipe.types) do
      if not armtap.types[type_name] then
        words[#words + 1] = (recipe.names[i] or "?") .. " " .. type_name
      end
    end
    if #words > 0 then
      local text = table.concat(words, ", ")
      tree:add(f.refused, text):set_generated(true)
      tree:add_proto_expert_info(e.refused, "Fields refused: " .. text)
      return #words .. " refused: " .. text
    end
    return nil
  end

  -- `all` has those of each id, too, in a list by itself; protocol 1 has no ids.
  local function add_recipe(all, recipe)
    local id = "id " .. (recipe.id or "none")
    all[id] = all[id] or {}
    table.insert(all[id], recipe)
    table.insert(all, recipe)
  end

  local function reply(tvb, tree, place, kind)
    local at, id = HEADER, nil
    if (kind == "inputs" or protocol_at(place) > 1) and tvb:len() > HEADER then
      id = tvb(HEADER, 1):uint()
      tree:add(f.id, tvb(HEADER, 1))
      at = HEADER + 1
    end
    local type_names = split(add_string(tree, f.types, rest(tvb, at)))
    if not place.visited then
      add_recipe(place.conversation[kind], {frame = place.frame, offset = place.offset, id = id, types = type_names,
                                            names = answered(place, kind) or {}})
    end
    local recipe = armtap.last_before(place.conversation[kind], place.frame, place.offset + 1)
    return recipe and refusals(tree, recipe) or #type_names .. " fields"
  end

  local function setup(tvb, tree, place, kind)
    return (place.to_robot and request or reply)(tvb, tree, place, kind)
  end

  local function agreement(tvb, tree, place)
    if place.to_robot or tvb:len() <= HEADER then
      return ""
    end
    local accepted = tvb(HEADER, 1):uint() ~= 0
    tree:add(f.accepted, tvb(HEADER, 1))
    if not place.visited then
      forget_clocks(place.conversation) -- no data came while it was paused
    end
    if not accepted then
      tree:add_proto_expert_info(e.denied)
    end
    return accepted and "accepted" or "refused"
  end

  -- ---- data ----

  -- The preference's recipe, with the table's types; nil and a name if it has one that the table lacks.
  local function preferred()
    local names, type_names = split(proto.prefs.recipe), {}
    for i, name in ipairs(names) do
      local field = armtap.by_name[name]
      if not field then
        return nil, name
      end
      type_names[i] = field.type
    end
    return #names > 0 and {names = names, types = type_names} or nil
  end

  local function recipe_of(place, id)
    local all = place.to_robot and place.conversation.inputs or place.conversation.outputs
    local function last_of(list)
      return list and armtap.last_before(list, place.frame, place.offset)
    end
    if not id then
      return last_of(all)
    end
    return armtap.later(last_of(all["id none"]), last_of(all["id " .. id]))
  end

  -- Of its values; nil if some are refused, or types are not as many as names.
  local function width_of(recipe)
    if recipe.width == nil then
      recipe.width = #recipe.names == #recipe.types and 0
      for _, type_name in ipairs(recipe.types) do
        local kind = armtap.types[type_name]
        recipe.width = recipe.width and kind and recipe.width + kind.width * kind.count
      end
    end
    return recipe.width or nil
  end

  local function number_text(range, element)
    if element == "DOUBLE" then
      return string.format("%.15g", range:float())
    elseif element == "UINT64" then
      return tostring(range:uint64())
    elseif element == "INT32" then
      return tostring(range:int())
    end
    return tostring(range:uint())
  end

  local function add_element(tree, shown_field, range, field, element)
    local item = tree:add(shown_field, range)
    if field.values and field.values[1].bit and element ~= "UINT64" then
      item:append_text(armtap.suffix(field, range:uint(), "cb3e"))
    end
  end

  local function add_value(tvb, tree, name, kind, at)
    local field, elements = armtap.by_name[name], shown[name]
    local fits = elements and field.count == kind.count and armtap.fits[field.element][kind.element]
    for i = 1, kind.count do
      local range = tvb(at + kind.width * (i - 1), kind.width)
      if not fits then
        local label = kind.count > 1 and name .. "_" .. (i - 1) or name
        tree:add(f.other, range, label .. ": " .. number_text(range, kind.element))
      elseif tree:referenced(elements[i]) then
        add_element(tree, elements[i], range, field, kind.element)
      end
    end
  end

  local function watched_of(recipe)
    return armtap.watched_of(recipe.names, function(i)
      local type_name = armtap.by_name[recipe.names[i]].type
      return recipe.types[i] == type_name and armtap.types[type_name].element or nil
    end, function(i)
      local kind = armtap.types[recipe.types[i]]
      return kind.width * kind.count
    end)
  end

  local function add_changes(tvb, tree, place, recipe, id, start)
    local watches = place.conversation.watches
    local watch = watches[id or 0] or armtap.new_watch()
    watches[id or 0] = watch
    if not place.visited and watch.recipe ~= recipe then
      armtap.forget_clock(watch) -- each has its own rate
      watch.recipe = recipe
    end
    recipe.watched = recipe.watched or watched_of(recipe)
    armtap.watch(watch, place, tvb, start, recipe.watched, "cb3e")
    armtap.add_found(tree, watch, place, changes)
  end

  local function has_id(place)
    return place.to_robot or protocol_at(place) > 1
  end

  local function data(tvb, tree, place)
    local at, id = HEADER, nil
    if has_id(place) and tvb:len() > HEADER then
      id = tvb(HEADER, 1):uint()
      tree:add(f.id, tvb(HEADER, 1))
      at = HEADER + 1
    end
    local recipe, unknown = recipe_of(place, id), nil
    if not recipe and not place.to_robot then
      recipe, unknown = preferred()
    end
    if unknown then
      tree:add_proto_expert_info(e.other_name, "The preferences' recipe has a name that no field has: " .. armtap.visible(unknown))
      return "no field is named " .. armtap.visible(unknown)
    elseif not recipe then
      tree:add_proto_expert_info(e.no_recipe)
      return "no recipe seen"
    end
    if recipe.frame then
      tree:add(f.recipe, recipe.frame):set_generated(true)
    end
    if width_of(recipe) ~= tvb:len() - at then
      tree:add_proto_expert_info(e.other_size)
      return "values do not fill the recipe"
    end
    if not place.to_robot then
      add_changes(tvb, tree, place, recipe, id, at)
    end
    for i, name in ipairs(recipe.names) do
      local kind = armtap.types[recipe.types[i]]
      add_value(tvb, tree, name, kind, at)
      at = at + kind.width * kind.count
    end
    return #recipe.names .. " fields"
  end

  -- ---- packages ----

  -- The standard port tells who is the robot; on others, the first package that only clients send, else the lower port.
  local function goes_to_robot(tvb, at, pinfo, conversation)
    local to, from = armtap.has(armtap.ports.rtde, pinfo.dst_port), armtap.has(armtap.ports.rtde, pinfo.src_port)
    if to ~= from then
      return to
    end
    local size, kind = tvb(at, 2):uint(), tvb(at + 2, 1):uint()
    local asks = kind == types.VERSION and size == HEADER + 2 or kind == types.START and size == HEADER
    if asks and not conversation.robot_port then
      conversation.robot_port = pinfo.dst_port
    end
    return pinfo.dst_port == (conversation.robot_port or math.min(pinfo.src_port, pinfo.dst_port))
  end

  local function trust_in_data(tvb, at, size, place)
    local id_length = has_id(place) and 1 or 0
    if tvb:len() < at + HEADER + id_length then
      return armtap.MAYBE
    end
    local recipe = recipe_of(place, id_length > 0 and tvb(at + HEADER, 1):uint() or nil)
    if not recipe and not place.to_robot then
      recipe = preferred()
    end
    if not recipe then
      return armtap.MAYBE
    end
    return width_of(recipe) == size - HEADER - id_length and armtap.SURE or armtap.DOUBT
  end

  -- Two counted texts, and a byte behind them; protocol 1 has one text that fills the package.
  local function trust_in_text(tvb, at, size, place)
    local second = at + HEADER + 1 + (tvb:len() > at + HEADER and tvb(at + HEADER, 1):uint() or 0)
    if not has_id(place) then
      return armtap.MAYBE
    elseif tvb:len() <= second then
      return second < at + size and size <= TEXT_MOST and armtap.MAYBE or armtap.DOUBT
    end
    return second + 1 + tvb(second, 1):uint() + 1 == at + size and armtap.SURE or armtap.DOUBT
  end

  -- Names or types, behind a frequency, an id or a length.
  local function trust_in_names(tvb, at, size, kind, place)
    local before = not has_id(place) and 0 or kind == types.PROPERTIES and 2 or
                   (place.to_robot and kind == types.SETUP_OUTPUTS and 8) or (place.to_robot and 0) or 1
    local from, to = at + HEADER + before, math.min(at + size, tvb:len())
    return from < to and string.find(tvb:raw(from, to - from), "[^ -~]") and armtap.DOUBT or armtap.MAYBE
  end

  -- A package that may begin at `at`: its size, and how much is to be said for it; nil if none can.
  local function size_at(tvb, at, place)
    local size, kind = tvb(at, 2):uint(), tvb(at + 2, 1):uint()
    local limits = rows[kind] and (place.to_robot and rows[kind].to_robot or rows[kind].from_robot)
    if not limits or size < limits[1] or size > limits[2] then
      return nil
    elseif kind == types.DATA then
      return size, trust_in_data(tvb, at, size, place)
    elseif kind == types.TEXT then
      return size, trust_in_text(tvb, at, size, place)
    elseif limits[1] == limits[2] then
      return size, armtap.SURE
    elseif kind == types.CONTROLLER_VERSION then
      return size, armtap.MAYBE
    end
    return size, trust_in_names(tvb, at, size, kind, place)
  end

  local contents = {
    [types.VERSION] = version,
    [types.CONTROLLER_VERSION] = controller_version,
    [types.TEXT] = text_message,
    [types.DATA] = data,
    [types.SETUP_OUTPUTS] = function(tvb, tree, place) return setup(tvb, tree, place, "outputs") end,
    [types.SETUP_INPUTS] = function(tvb, tree, place) return setup(tvb, tree, place, "inputs") end,
    [types.START] = agreement,
    [types.PAUSE] = agreement
  }

  local function package(tvb, pinfo, root, place)
    local kind = tvb(2, 1):uint()
    local tree = root:add(proto, tvb())
    tree:add(f.size, tvb(0, 2))
    tree:add(f.type, tvb(2, 1))
    local said = contents[kind] and contents[kind](tvb, tree, place) or ""
    local line = names_of_types[kind] .. (said ~= "" and ": " .. said or "")
    tree:append_text(", " .. line)
    pinfo.cols.protocol = "UR RTDE"
    if string.find(tostring(pinfo.cols.info), "RTDE ", 1, true) == 1 then
      pinfo.cols.info:append("; " .. line)
    else
      pinfo.cols.info = "RTDE " .. line
    end
    return tvb:len()
  end

  function proto.dissector(tvb, pinfo, root)
    local conversation = armtap.conversation(conversations, new_conversation)
    local function place_of(bytes, at)
      return {
        conversation = conversation, frame = pinfo.number, offset = bytes:offset() + at, visited = pinfo.visited,
        to_robot = goes_to_robot(bytes, at, pinfo, conversation)
      }
    end
    local flow = conversation.flows[pinfo.src_port] or {}
    conversation.flows[pinfo.src_port] = flow
    return armtap.packages({
      proto = proto, header = HEADER, pattern = header_pattern, lost = e.place_lost,
      on_hole = function() forget_clocks(conversation) end,
      size_at = function(bytes, at) return size_at(bytes, at, place_of(bytes, at)) end,
      package = function(bytes) return package(bytes, pinfo, root, place_of(bytes, 0)) end
    }, tvb, pinfo, root, flow)
  end

  armtap.listen(proto, armtap.ports.rtde)
end
