-- What changes between two packets of a connection: stops, and a controller's clock that jumps. Found on the first pass.
do
  local STEPS_LEAST, STEP_MOST = 10, 1.5
  local SAFETY = {safety_mode = "safety_status", safety_status = "safety_mode"}
  local WATCHED = {robot_mode = true, safety_mode = true, safety_status = true, timestamp = true}

  function armtap.watch_experts(prefix)
    local stop = ProtoExpert.new(prefix .. ".stop", "A stop", expert.group.RESPONSE_CODE, expert.severity.WARN)
    local back = ProtoExpert.new(prefix .. ".clock_back", "The controller's clock went back", expert.group.SEQUENCE,
                                 expert.severity.WARN)
    local jump = ProtoExpert.new(prefix .. ".clock_jump", "The controller's clock went on by more than before",
                                 expert.group.SEQUENCE, expert.severity.NOTE)
    return {stop = stop, back = back, jump = jump}
  end

  function armtap.new_watch()
    return {last = {}, found = {}, steps = 0}
  end

  function armtap.forget_clock(watch)
    watch.clock, watch.shortest, watch.steps = nil, nil, 0
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
    return places
  end

  local function say(watch, place, kind, text)
    local key = place.frame .. ":" .. place.offset
    watch.found[key] = watch.found[key] or {}
    table.insert(watch.found[key], {kind = kind, text = text})
  end

  -- CB2 has no safety mode; its robot mode shows stops. One that both safety fields show is said once.
  local function see_mode(watch, place, field, number, generation)
    local before, name = watch.last[field.name], armtap.suffix(field, number, generation)
    local is_watched = SAFETY[field.name] or generation == "cb2"
    local is_said = SAFETY[field.name] and watch.last[SAFETY[field.name]] == number
    if before and before ~= number and is_watched and not is_said and string.find(name, "STOP", 1, true) then
      say(watch, place, "stop", string.format("%s %d%s", field.name, number, name))
    end
    watch.last[field.name] = number
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
