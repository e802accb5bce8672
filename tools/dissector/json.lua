-- JSON with the place of each value: {kind, first, last, text}; lists and objects have their parts.
do
  local json = {}
  armtap.json = json

  local function skip_space(text, at)
    return string.find(text, "[^ \t\r\n]", at) or #text + 1
  end

  -- The last byte of a string that begins at `at`; nil if it does not end.
  local function end_of_string(text, at)
    local from = at + 1
    while true do
      local found = string.find(text, '[\\"]', from)
      if not found then
        return nil
      elseif string.sub(text, found, found) == '"' then
        return found
      end
      from = found + 2
    end
  end

  -- The last byte of the list or object that begins at `at`; nil if more is needed, false if it cannot be one.
  function json.message_end(text, at)
    local open, from = {}, at
    while true do
      local found = string.find(text, '["%[%]{}%c]', from)
      local byte = found and string.sub(text, found, found)
      if not found then
        return nil
      elseif byte == '"' then
        found = end_of_string(text, found)
        if not found then
          return nil
        end
      elseif byte == "[" or byte == "{" then
        open[#open + 1] = byte == "[" and "]" or "}"
        if #open > 32 then
          return false
        end
      elseif byte == "]" or byte == "}" then
        if table.remove(open) ~= byte then
          return false
        elseif #open == 0 then
          return found
        end
      elseif not string.find(byte, "[\t\r\n]") then
        return false
      end
      from = found + 1
    end
  end

  local escapes = {b = "\b", f = "\f", n = "\n", r = "\r", t = "\t"}
  local function unescaped(text)
    text = string.gsub(text, "\\u(%x%x%x%x)", function(digits)
      local code = tonumber(digits, 16)
      return code >= 0x20 and code < 0x7f and string.char(code) or "?"
    end)
    return (string.gsub(text, "\\(.)", function(byte) return escapes[byte] or byte end))
  end

  local value

  -- The parts of a list, or with keys those of an object.
  local function parts(text, node, has_keys)
    local at = skip_space(text, node.first + 1)
    local closing = has_keys and "}" or "]"
    while string.sub(text, at, at) ~= closing do
      local key
      if has_keys then
        key = value(text, at)
        at = key and key.kind == "string" and skip_space(text, key.last + 1)
        if not at or string.sub(text, at, at) ~= ":" then
          return nil
        end
        at = skip_space(text, at + 1)
      end
      local part = value(text, at)
      if not part then
        return nil
      end
      node[key and key.text or #node + 1] = part
      at = skip_space(text, part.last + 1)
      if string.sub(text, at, at) == "," then
        at = skip_space(text, at + 1)
      elseif string.sub(text, at, at) ~= closing then
        return nil
      end
    end
    node.last = at
    node.text = string.sub(text, node.first, at)
    return node
  end

  -- The value that begins at `at`, nil if none does. message_end() has looked at brackets and depth.
  value = function(text, at)
    local byte = string.sub(text, at, at)
    if byte == "[" then
      return parts(text, {kind = "list", first = at}, false)
    elseif byte == "{" then
      return parts(text, {kind = "object", first = at}, true)
    elseif byte == '"' then
      local last = end_of_string(text, at)
      return last and {kind = "string", first = at, last = last, text = unescaped(string.sub(text, at + 1, last - 1))} or nil
    end
    local _, last, word = string.find(text, "^([%w+%-.]+)", at)
    return last and {kind = "word", first = at, last = last, text = word} or nil
  end
  json.value = value

  local words = {["true"] = 1, ["false"] = 0, ["NaN"] = 0 / 0, ["Infinity"] = 1 / 0, ["-Infinity"] = -1 / 0}
  -- The number of a word, nil if it is none.
  function json.number(node)
    if node.kind ~= "word" then
      return nil
    elseif words[node.text] then
      return words[node.text]
    end
    return string.find(node.text, "^%-?%d") and tonumber(node.text) or nil
  end
end
