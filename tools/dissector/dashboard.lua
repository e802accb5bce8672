-- UR's dashboard server: lines of text, each request answered by a line.
do
  local LINE_MAX = 4096
  local proto = Proto("ur_dashboard", "UR dashboard server")
  local list = {}

  for _, state in ipairs(armtap.dashboard_states) do
    armtap.by_name[state.field].dashboard = true
  end
  local shown = armtap.display_fields(list, "ur_dashboard", "dashboard", nil)
  local f = {
    request = ProtoField.string("ur_dashboard.request", "request"),
    reply = ProtoField.string("ur_dashboard.reply", "reply"),
    asked = ProtoField.framenum("ur_dashboard.request_frame", "reply to the request in")
  }
  for _, one in pairs(f) do
    list[#list + 1] = one
  end
  proto.fields = list
  local e = {
    refused = armtap.finding_expert("ur_dashboard.refused", "dashboard.refused", expert.group.RESPONSE_CODE)
  }
  proto.experts = {e.refused}

  local conversations = {}
  function proto.init()
    conversations = {}
  end

  local function begins(text, words)
    return string.sub(string.lower(text), 1, #words) == string.lower(words)
  end

  local function is_greeting(text)
    return begins(text, armtap.dashboard_greeting)
  end

  -- What a reply answers: kept from the first pass.
  local function request_of(conversation, place, text)
    local key = place.frame .. ":" .. place.offset
    if not place.visited and not is_greeting(text) then
      conversation.answered[key] = armtap.take(conversation.waiting)
    end
    return conversation.answered[key]
  end

  -- A command ends there, or takes more after a blank.
  local function is_request(text, command)
    local next_byte = string.sub(text, #command + 1, #command + 1)
    return begins(text, command) and (next_byte == "" or next_byte == " ")
  end

  local function add_state(tree, range, request, text)
    for _, state in ipairs(armtap.dashboard_states) do
      if is_request(request.text, state.request) and begins(text, state.reply) then
        local word = string.match(string.sub(text, #state.reply + 1), "^[^ ]+")
        for _, value in ipairs(armtap.by_name[state.field].values) do
          if value.value and value.name == string.upper(word or "") and (value.generation == "cb3e" or value.generation == "ur") then
            tree:add(shown[state.field][1], range, value.value):append_text(" " .. word)
            return
          end
        end
      end
    end
  end

  local function add_reply(range, tree, conversation, place, text)
    tree:add(f.reply, range, text)
    local request = request_of(conversation, place, text)
    if request then
      tree:add(f.asked, request.frame):set_generated(true)
      add_state(tree, range, request, text)
    end
    for _, refusal in ipairs(armtap.dashboard_refusals) do
      if begins(text, refusal.words) then
        tree:add_proto_expert_info(e.refused, text .. "; " .. refusal.advice)
        return
      end
    end
  end

  local function add_line(range, pinfo, root, to_robot)
    local text = armtap.visible(string.match(range:raw(), "^(.-)[ \t\r\n]*$"))
    local tree = root:add(proto, range)
    local conversation = armtap.conversation(conversations, function() return {waiting = armtap.new_queue(), answered = {}} end)
    local place = {frame = pinfo.number, offset = range:offset(), visited = pinfo.visited}
    if to_robot then
      tree:add(f.request, range, text)
      if not place.visited and text ~= "" then
        armtap.put(conversation.waiting, {frame = place.frame, text = text})
      end
    else
      add_reply(range, tree, conversation, place, text)
    end
    local line = (to_robot and "request: " or "reply: ") .. text
    tree:append_text(", " .. line)
    pinfo.cols.protocol = "UR dashboard"
    if string.find(tostring(pinfo.cols.info), "dashboard ", 1, true) == 1 then
      pinfo.cols.info:append("; " .. line)
    else
      pinfo.cols.info = "dashboard " .. line
    end
  end

  function proto.dissector(tvb, pinfo, root)
    local text, at = tvb:raw(), 1
    local to_robot = armtap.has(armtap.ports.dashboard, pinfo.dst_port) or
                     (not armtap.has(armtap.ports.dashboard, pinfo.src_port) and pinfo.dst_port < pinfo.src_port)
    while at <= #text do
      local last = string.find(text, "\n", at, true)
      if not last and #text - at < LINE_MAX and pinfo.can_desegment > 0 then
        pinfo.desegment_offset = at - 1
        pinfo.desegment_len = DESEGMENT_ONE_MORE_SEGMENT
        return tvb:len()
      end
      last = last or #text
      add_line(tvb(at - 1, last - at + 1), pinfo, root, to_robot)
      at = last + 1
    end
    return tvb:len()
  end

  armtap.listen(proto, armtap.ports.dashboard)
end
