-- What changes between two packets of a connection: stops, faults, and a controller's clock that jumps. Found on the first pass.
do
  local STEPS_LEAST, STEP_MOST = 10, 1.5
  local SAFETY = {safety_mode = "safety_status", safety_status = "safety_mode"}
  local BITS = "safety_status_bits"
  local WATCHED = {robot_mode = true, safety_mode = true, safety_status = true, timestamp = true, [BITS] = true}

  function armtap.watch_experts(prefix)
    local stop = armtap.finding_expert(prefix .. ".stop", "safety.stop", expert.group.RESPONSE_CODE)
    local state = armtap.finding_expert(prefix .. ".safety_state", "safety.state", expert.group.RESPONSE_CODE)
    local back = armtap.finding_expert(prefix .. ".clock_back", "clock.backwards", expert.group.SEQUENCE)
    local jump = ProtoExpert.new(prefix .. ".clock_jump", "The controller's clock went on by more than before",
                                 expert.group.SEQUENCE, expert.severity.NOTE)
    return {stop = stop, state = state, back = back, jump = jump}
  end

  function armtap.new_watch()
    return {last = {}, found = {}, steps = 0}
  end

  function armtap.forget_clock(watch)
    watch.clock, watch.shortest, watch.steps = nil, nil, 0
  end

  -- Bits behind the modes.
  local function rank(place)
    return place.field.name == BITS and math.huge or place.offset
  end

  -- Fields of a recipe or layout that are watched, with their places: {field, element, offset}. Both functions take the
  -- number of a name, which a recipe may have twice.
  function armtap.watched_of(names, element_of, width_of)
    local places, offset = {}, 0
    for i, name in ipairs(names) do
      local field = armtap.by_name[name]
      if WATCHED[name] and field and element_of(i) then
        places[#places + 1] = {field = field, element = element_of(i), offset = offset}
      end
      offset = offset + width_of(i)
    end
    table.sort(places, function(one, other) return rank(one) < rank(other) end)
    return places
  end

  local function say(watch, place, kind, text)
    local key = place.frame .. ":" .. place.offset
    watch.found[key] = watch.found[key] or {}
    table.insert(watch.found[key], {kind = kind, text = text})
  end

  -- STOP or FAULT by the name of a value or bit; nil if it is an ordinary one, or unknown.
  local function class_of(name, is_first)
    for _, word in ipairs(armtap.safety_words) do
      if string.find(name, word.text, 1, true) then
        local class = is_first and word.first or word.later
        return class ~= "UNKNOWN" and class or nil
      end
    end
    return nil
  end

  local function say_class(watch, place, class, is_first, text)
    local kind = class == "STOP" and not is_first and "stop" or "state"
    watch.told = place.frame .. ":" .. place.offset
    say(watch, place, kind, text .. (is_first and ", already when the data began" or ""))
  end

  -- A state that both safety fields show is said once. CB2 has no safety mode: its robot mode shows stops.
  local function see_mode(watch, place, field, number, generation)
    local before, name = watch.last[field.name], armtap.suffix(field, number, generation)
    local class = before ~= number and class_of(name, not before)
    local is_said = watch.last[SAFETY[field.name]] == number or watch.told == place.frame .. ":" .. place.offset
    watch.last[field.name] = number
    if class and not is_said then
      say_class(watch, place, class, not before, string.format("%s %d%s", field.name, number, name))
    end
  end

  local function has_bit(number, bit)
    return math.floor(number / 2 ^ bit) % 2 == 1
  end

  -- The bits that say why a robot is stopped or at fault, {[bit] = name}.
  local function reasons_of(field, number)
    local reasons = {}
    for _, value in ipairs(field.values) do
      reasons[value.bit] = has_bit(number, value.bit) and class_of(value.name, true) and value.name or nil
    end
    for _, sum in ipairs(armtap.safety_sums) do
      for bit in pairs(reasons) do
        if has_bit(sum.others, bit) then
          reasons[sum.bit] = nil
          break
        end
      end
    end
    return reasons
  end

  -- The bits say what safety mode and status say, where a client asks for neither.
  local function see_bits(watch, place, field, number)
    local before = watch.last[BITS]
    if watch.last.safety_mode or watch.last.safety_status or number == before then
      return
    end
    watch.last[BITS] = number
    local reasons = reasons_of(field, number)
    for _, value in ipairs(field.values) do
      if reasons[value.bit] and not (before and has_bit(before, value.bit)) then
        say_class(watch, place, class_of(value.name, not before), not before,
                  string.format("%s %d %s", BITS, number, value.name))
      end
    end
  end

  local function see_clock(watch, place, clock)
    local step = watch.clock and clock - watch.clock
    if step and step < 0 then
      say(watch, place, "back", string.format("The controller's clock went back, from %.3f s to %.3f s", watch.clock, clock))
    elseif step and step > 0 then
      if watch.steps >= STEPS_LEAST and step > STEP_MOST * watch.shortest then
        say(watch, place, "jump", string.format("The controller's clock went on by %.3f s; the shortest step before is %.3f s",
                                                step, watch.shortest))
      end
      watch.shortest = math.min(step, watch.shortest or step)
      watch.steps = watch.steps + 1
    end
    watch.clock = clock
  end

  local function number_at(tvb, at, element)
    if element == "DOUBLE" then
      return tvb(at, 8):float()
    end
    return element == "INT32" and tvb(at, 4):int() or tvb(at, 4):uint()
  end

  -- `places` as armtap.watched_of() returns them; values begin at `start`.
  function armtap.watch(watch, place, tvb, start, places, generation)
    for _, one in ipairs(place.visited and {} or places) do
      local number = number_at(tvb, start + one.offset, one.element)
      if one.field.name == "timestamp" then
        see_clock(watch, place, number)
      elseif one.field.name == BITS then
        see_bits(watch, place, one.field, number)
      elseif number == math.floor(number) and math.abs(number) < 2 ^ 31 then
        see_mode(watch, place, one.field, number, generation)
      end
    end
  end

  function armtap.add_found(tree, watch, place, experts)
    for _, one in ipairs(watch.found[place.frame .. ":" .. place.offset] or {}) do
      tree:add_proto_expert_info(experts[one.kind], one.text)
    end
  end
end
