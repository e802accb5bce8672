-- AUBO's RTDE: JSON over TCP and WebSocket. [100,{set-up}] to the robot; [channel,values...] either way.
do
  local SET_UP = 100
  local MESSAGE_MAX = 65536
  local ports = armtap.ports.aubo or {} -- none if armtap was built without AUBO
  local proto = Proto("aubo_rtde", "AUBO RTDE")
  local list = {}

  -- ---- fields: an arm's topics under UR's names, those of further arms with R2_ to R4_ ----

  for _, topic in ipairs(armtap.aubo_topics) do
    armtap.by_name[topic.field].aubo = true
  end
  local topics = {} -- by name: {field, factor, elements}
  local shown = armtap.display_fields(list, "aubo_rtde", "aubo", nil)

  local function further_arm(prefix, field)
    local elements = {}
    for i = 0, field.count - 1 do
      local label = prefix .. field.name .. (field.count > 1 and "_" .. i or "")
      elements[i + 1] = ProtoField.double("aubo_rtde." .. string.lower(label), label, field.meaning)
      list[#list + 1] = elements[i + 1]
    end
    return elements
  end

  for _, topic in ipairs(armtap.aubo_topics) do
    local field = armtap.by_name[topic.field]
    topics[topic.arm and "R1_" .. topic.name or topic.name] =
      {field = field, factor = topic.factor, elements = shown[field.name], element = field.element}
    for arm = 2, topic.arm and armtap.aubo_arms or 1 do
      local prefix = "R" .. arm .. "_"
      topics[prefix .. topic.name] =
        {field = field, factor = topic.factor, elements = further_arm(prefix, {name = topic.name, count = field.count, meaning = field.meaning}),
         element = "DOUBLE"}
    end
  end

  local f = {
    channel = ProtoField.uint32("aubo_rtde.channel", "channel"),
    frequency = ProtoField.double("aubo_rtde.frequency", "frequency", "Hz"),
    segments = ProtoField.string("aubo_rtde.segments", "topics"),
    to_server = ProtoField.bool("aubo_rtde.to_server", "to the robot", base.NONE, nil, nil, "who publishes"),
    setup = ProtoField.framenum("aubo_rtde.setup_frame", "set up in"),
    other = ProtoField.string("aubo_rtde.other", "other topic", base.NONE, "a topic that is no field of armtap's table"),
    json = ProtoField.string("aubo_rtde.json", "message")
  }
  for _, one in pairs(f) do
    list[#list + 1] = one
  end
  proto.fields = list

  local e = {
    no_setup = armtap.finding_expert("aubo_rtde.no_setup", "aubo.channel.unknown", expert.group.UNDECODED),
    other_count = armtap.finding_expert("aubo_rtde.other_count", "aubo.values.count", expert.group.MALFORMED),
    deflated = ProtoExpert.new("aubo_rtde.deflated", "Compressed by WebSocket: Wireshark may inflate it wrongly, armtap export does not",
                               expert.group.UNDECODED, expert.severity.NOTE),
    bad = armtap.finding_expert("aubo_rtde.bad", "aubo.message.bad", expert.group.MALFORMED)
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

  local function new_conversation()
    return {setups = {}}
  end

  -- ---- contents ----

  local function range_of(tvb, node)
    return tvb(node.first - 1, node.last - node.first + 1)
  end

  local function names_of(segments)
    local names = {}
    for i, segment in ipairs(segments or {}) do
      names[i] = segment.text
    end
    return names
  end

  -- Those of a channel in one direction.
  local function setups_of(conversation, channel, to_server)
    local key = string.format("%s %.15g", to_server and "to" or "from", channel)
    conversation.setups[key] = conversation.setups[key] or {}
    return conversation.setups[key]
  end

  local function set_up(tvb, tree, message, place)
    local object = message[2]
    local channel = object and object.kind == "object" and object.chanel and armtap.json.number(object.chanel)
    if not channel then
      tree:add_proto_expert_info(e.bad)
      return "set-up"
    end
    local names = names_of(object.segments)
    tree:add(f.channel, range_of(tvb, object.chanel), channel)
    if object.frequency then
      tree:add(f.frequency, range_of(tvb, object.frequency), armtap.json.number(object.frequency) or 0)
    end
    tree:add(f.segments, object.segments and range_of(tvb, object.segments) or tvb(), armtap.visible(table.concat(names, ",")))
    local to_server = object.to_server ~= nil and object.to_server.text == "true"
    tree:add(f.to_server, to_server)
    if not place.visited and #names > 0 then
      table.insert(setups_of(place.conversation, channel, to_server), {frame = place.frame, offset = place.offset, names = names})
    end
    return string.format("set-up of channel %d: %d topics", channel, #names)
  end

  -- A set-up has no reply: data of the one before may still come, if it has as many values.
  local function setup_of(place, channel, count)
    local all = setups_of(place.conversation, channel, place.to_robot)
    local newest, i = armtap.last_before(all, place.frame, place.offset)
    local before = all[i - 1]
    return newest and #newest.names ~= count and before and #before.names == count and before or newest
  end

  local limits = {UINT8 = {0, 255}, UINT32 = {0, 4294967295}, INT32 = {-2147483648, 2147483647}, BOOL = {0, 1}}

  -- Newer robots send the names of modes in place of numbers.
  local function number_of(topic, node)
    for _, value in ipairs(node.kind == "string" and topic.field.values or {}) do
      if value.value and value.generation == "aubo" and value.name == node.text then
        return value.value
      end
    end
    return armtap.json.number(node)
  end

  -- The number as the display field holds it, nil if it cannot.
  local function fitting(topic, node)
    local number = number_of(topic, node)
    local limit = limits[topic.element]
    number = number and number * topic.factor
    if not number or not limit then
      return topic.element ~= "UINT64" and number or nil
    elseif number ~= math.floor(number) or number < limit[1] or number > limit[2] then
      return nil
    end
    return topic.element == "BOOL" and number == 1 or topic.element ~= "BOOL" and number or false
  end

  -- The nodes and numbers of a topic's elements, nil if it is shown as another one.
  local function elements_of(topic, node)
    local nodes, numbers = node.kind == "list" and node or {node}, {}
    if not topic or #nodes ~= topic.field.count then
      return nil
    end
    for i, one in ipairs(nodes) do
      numbers[i] = fitting(topic, one)
      if numbers[i] == nil then
        return nil
      end
    end
    return nodes, numbers
  end

  local function add_topic(tvb, tree, name, node)
    local topic = topics[name]
    local nodes, numbers = elements_of(topic, node)
    if not nodes then
      local range = range_of(tvb, node)
      tree:add(f.other, range, armtap.visible(name .. ": " .. range:raw()))
      return
    end
    for i, one in ipairs(nodes) do
      if tree:referenced(topic.elements[i]) then
        local item = tree:add(topic.elements[i], range_of(tvb, one), numbers[i])
        if topic.field.values and topic.element ~= "BOOL" then
          item:append_text(armtap.suffix(topic.field, numbers[i], "aubo"))
        end
      end
    end
  end

  local function data(tvb, tree, message, place)
    local channel = armtap.json.number(message[1])
    local setup = setup_of(place, channel, #message - 1)
    tree:add(f.channel, range_of(tvb, message[1]), channel)
    if not setup then
      tree:add_proto_expert_info(e.no_setup)
      return string.format("channel %d, whose setup was not captured", channel)
    end
    tree:add(f.setup, setup.frame):set_generated(true)
    if #setup.names ~= #message - 1 then
      tree:add_proto_expert_info(e.other_count)
    end
    for i, name in ipairs(setup.names) do
      if message[i + 1] then
        add_topic(tvb, tree, name, message[i + 1])
      end
    end
    return string.format("channel %d: %d topics", channel, #setup.names)
  end

  -- The standard port tells who is the robot; on others, a set-up does, else the lower port.
  local function goes_to_robot(pinfo, conversation, is_set_up)
    local to, from = armtap.has(ports, pinfo.dst_port), armtap.has(ports, pinfo.src_port)
    if to ~= from then
      return to
    end
    if is_set_up and not conversation.robot_port then
      conversation.robot_port = pinfo.dst_port
    end
    return pinfo.dst_port == (conversation.robot_port or math.min(pinfo.src_port, pinfo.dst_port))
  end

  local function message_of(tvb, pinfo, root, text)
    local tree = root:add(proto, tvb())
    armtap.add_text(tree, f.json, tvb())
    local message = armtap.json.value(text, 1)
    local first = message and message.kind == "list" and message[1] and armtap.json.number(message[1])
    local conversation = armtap.conversation(conversations, new_conversation)
    local place = {
      conversation = conversation, frame = pinfo.number, offset = tvb:offset(), visited = pinfo.visited,
      to_robot = goes_to_robot(pinfo, conversation, first == SET_UP)
    }
    local line = "no message of AUBO's"
    if not first or first ~= math.floor(first) or first < 0 or first > SET_UP then
      tree:add_proto_expert_info(e.bad)
    elseif first == SET_UP then
      line = set_up(tvb, tree, message, place)
    else
      line = data(tvb, tree, message, place)
    end
    tree:append_text(", " .. line)
    pinfo.cols.protocol = "AUBO RTDE"
    if string.find(tostring(pinfo.cols.info), "AUBO ", 1, true) == 1 then
      pinfo.cols.info:append("; " .. line)
    else
      pinfo.cols.info = "AUBO " .. line
    end
  end

  -- ---- messages ----

  -- Up to where the next message may begin.
  local function skip(tvb, root, text, from, to)
    local range = tvb(from - 1, to - from + 1)
    if string.find(string.sub(text, from, to), "[^ \t\r\n]") then
      root:add(proto, range):add_proto_expert_info(e.bad)
    end
  end

  -- The messages that end in these bytes; in pieces, the last may wait for more.
  local function messages(tvb, pinfo, root, in_pieces)
    local text, at = tvb:raw(), 1
    while at <= #text do
      local begins = string.find(text, "[%[{]", at)
      if begins ~= at then
        skip(tvb, root, text, at, (begins or #text + 1) - 1)
      end
      if not begins then
        return
      end
      local last = armtap.json.message_end(text, begins)
      if last then
        message_of(tvb(begins - 1, last - begins + 1):tvb(), pinfo, root, string.sub(text, begins, last))
        at = last + 1
      elseif last == nil and in_pieces and #text - begins < MESSAGE_MAX and pinfo.can_desegment > 0 then
        pinfo.desegment_offset = begins - 1
        pinfo.desegment_len = DESEGMENT_ONE_MORE_SEGMENT
        return
      else
        skip(tvb, root, text, begins, begins)
        at = begins + 1
      end
    end
  end

  local http = Dissector.get("http")

  function proto.dissector(tvb, pinfo, root)
    local conversation = armtap.conversation(conversations, new_conversation)
    local head = tvb:raw(0, math.min(tvb:len(), 5))
    if string.find(head, "^GET ") or string.find(head, "^HTTP/") then
      conversation.web_from = math.min(conversation.web_from or pinfo.number, pinfo.number)
      conversation.is_deflated = conversation.is_deflated or string.find(tvb:raw(), "permessage-deflate", 1, true) ~= nil
    end
    if conversation.web_from and pinfo.number >= conversation.web_from then
      pinfo.can_desegment = pinfo.can_desegment + 1 -- which a call takes away
      return http:call(tvb, pinfo, root) -- whose upgrade leads to WebSocket's messages below
    end
    messages(tvb, pinfo, root, true)
    return tvb:len()
  end

  local web = Proto("aubo_rtde_web", "AUBO RTDE in WebSocket")
  -- A compressed message refers to those before it. Wireshark 4.0 loses one that comes in pieces, and shows wrong bytes
  -- for those after it.
  function web.dissector(tvb, pinfo, root)
    if armtap.conversation(conversations, new_conversation).is_deflated then
      root:add(proto, tvb()):add_proto_expert_info(e.deflated)
      pinfo.cols.protocol = "AUBO RTDE"
      pinfo.cols.info = "AUBO compressed"
    else
      messages(tvb, pinfo, root, false)
    end
    return tvb:len()
  end

  armtap.listen(proto, ports)
  local web_ports = DissectorTable.get("ws.port")
  for _, port in ipairs(ports) do
    web_ports:add(port, web)
  end
end
