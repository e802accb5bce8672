// Reads MCAP files with @mcap/core's indexed and stream readers and by hand, decodes every message with @foxglove's readers, and
// compares it with the CSV of the same rows, and with what Universal Robots' ROS 2 driver would publish (ros_topics.mjs).
//
// Standard input: {"packages": folder of node_modules, "files": [{"name", "mcap", "is_by_place" (values have other
// names in the CSV), "yaml" (a bag's metadata), "streams": [{"prefix", "robot", "series", "is_back" (records to the robot), "tables": [CSV]}]}]}. Standard output: {"files": {name: facts}, "errors": [text]}.
import { createRequire } from "node:module"
import { readFileSync } from "node:fs"
import { pathToFileURL } from "node:url"
import { isDouble, parseCsv } from "./cells.mjs"
import { walk } from "./mcap_records.mjs"
import { differs, driverTopics, WRENCH } from "./ros_topics.mjs"

const asked = JSON.parse(readFileSync(0, "utf8"))
const require = createRequire(asked.packages + "/package.json")
const load = async name => import(pathToFileURL(require.resolve(name)))
const { McapIndexedReader, McapStreamReader } = await load("@mcap/core")
const { parse } = await load("@foxglove/rosmsg")
const { MessageReader, MessageWriter } = await load("@foxglove/rosmsg2-serialization")
const { parse: parseYaml } = await load("yaml")
const zstd = (await load("@foxglove/wasm-zstd")).default
const lz4 = (await load("@foxglove/wasm-lz4")).default
await Promise.all([zstd.isLoaded, lz4.isLoaded])
const decompressHandlers = { zstd: (data, size) => zstd.decompress(data, Number(size)), lz4: (data, size) => lz4(data, Number(size)) }

const errors = []
const fail = (...words) => errors.length < 30 && errors.push(words.map(word => typeof word === "string" ? word : String(word)).join(" ").slice(0, 1500))

// ---- three readings ----------------------------------------------------------------------------------------------------------

async function readIndexed(bytes) {
  const readable = { size: async () => BigInt(bytes.length), read: async (from, size) => bytes.subarray(Number(from), Number(from + size)) }
  const reader = await McapIndexedReader.Initialize({ readable, decompressHandlers })
  const messages = []
  for await (const message of reader.readMessages({ validateCrcs: true })) messages.push(message)
  return { reader, messages }
}

function readStream(bytes) {
  const reader = new McapStreamReader({ decompressHandlers, validateCrcs: true })
  const messages = []
  reader.append(bytes)
  for (let record = reader.nextRecord(); record; record = reader.nextRecord()) if (record.type === "Message") messages.push(record)
  if (!reader.done()) throw new Error("the stream reader is not at the end")
  return messages
}

const keyOf = message => `${message.channelId ?? message.channel} ${message.sequence} ${message.logTime} ${message.publishTime}`

// The same messages by both readers and by hand; by the index in order of time.
async function checkReaders(name, bytes, walked) {
  const { reader, messages } = await readIndexed(bytes)
  for (let i = 1; i < messages.length; i++) if (messages[i].logTime < messages[i - 1].logTime) fail(name, "the index is not in order at", i)
  const wanted = new Map(walked.messages.map(message => [keyOf(message), message.data]))
  for (const [how, found] of [["indexed", messages], ["stream", readStream(bytes)]]) {
    if (found.length !== walked.messages.length || wanted.size !== found.length) fail(name, how, "messages", found.length, "of", wanted.size)
    for (const one of found) if (!wanted.has(keyOf(one)) || Buffer.compare(wanted.get(keyOf(one)), one.data)) fail(name, how, keyOf(one), "differs")
  }
  if (reader.statistics.messageCount !== BigInt(messages.length)) fail(name, "statistics", reader.statistics.messageCount)
}

// ---- channels and messages ---------------------------------------------------------------------------------------------------

// A decoder of a ROS 2 channel; every byte of a message must come from its fields.
function rosDecoder(schema) {
  const definitions = parse(schema.data, { ros2: true }), reader = new MessageReader(definitions), writer = new MessageWriter(definitions)
  const decode = data => {
    const value = reader.readMessage(data)
    if (reader.lastReadHadTrailingBytes()) throw new Error("bytes behind the last field")
    if (Buffer.compare(writer.writeMessage(value), data) && !isBeyondWriter(value)) throw new Error("other bytes than rosmsg2-serialization's")
    return value
  }
  return { decode, fields: definitions.find(one => !one.name || one.name === schema.name.replace("/msg/", "/")).definitions }
}

// The writer puts other bits for NaN, and the wrong length before a text that is not ASCII.
function isBeyondWriter(value) {
  if (typeof value === "number") return Number.isNaN(value)
  if (typeof value === "string") return /[^\0-\x7f]/.test(value)
  return value !== null && typeof value === "object" && (ArrayBuffer.isView(value) ? [...value] : Object.values(value)).some(isBeyondWriter)
}

// A decoder of JSON. The schema must have every member; if it is open, it may lack those of any type. Whole numbers above 2^53
// become BigInts.
function jsonDecoder(schema, isOpen) {
  const wanted = JSON.parse(schema.data)
  const decode = data => {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(data)
    const value = JSON.parse(text.replace(/("(?:[^"\\]|\\.)*")|(?<![\d.eE+-])(-?\d{16,})(?![\d.eE])/g, (all, string, digits) => string ?? `{"$big":"${digits}"}`),
      (key, one) => one?.$big !== undefined ? BigInt(one.$big) : one)
    checkJson(value, wanted, isOpen ? "" : "message")
    return value
  }
  return { decode, fields: null }
}

const jsonTypes = {
  object: value => typeof value === "object" && value !== null && !Array.isArray(value), array: Array.isArray,
  number: value => typeof value === "number" || typeof value === "bigint", string: value => typeof value === "string",
  integer: value => Number.isInteger(value) || typeof value === "bigint", boolean: value => typeof value === "boolean", null: value => value === null,
}
function checkJson(value, schema, where) {
  for (const word of Object.keys(schema)) {
    if (!["type", "properties", "items", "minItems", "maxItems", "title", "minimum", "maximum", "contentEncoding"].includes(word))
      throw new Error(`the schema says "${word}"`)
  }
  const types = [schema.type ?? []].flat()
  if (types.length && !types.some(type => jsonTypes[type](value))) throw new Error(`${where} is no ${types.join(" or ")}`)
  if (Array.isArray(value)) {
    if (value.length < (schema.minItems ?? 0) || value.length > (schema.maxItems ?? Infinity)) throw new Error(`${where} has ${value.length} items`)
    // null: NaN or infinity
    value.forEach((one, i) => one === null || checkJson(one, schema.items ?? {}, `${where}[${i}]`))
  } else if (jsonTypes.object(value)) {
    for (const [key, one] of Object.entries(value)) {
      if (!schema.properties?.[key] && where === "") continue
      if (!schema.properties?.[key]) throw new Error(`${where}.${key} is not in the schema`)
      checkJson(one, schema.properties[key], `${where}.${key}`)
    }
  }
}

// {topic: [{time, value, channel}]}, in the file's order; the channels by id.
function decodeAll(name, walked) {
  const decoders = new Map(), topics = new Map(), next = new Map()
  for (const [id, channel] of walked.channels) {
    const schema = walked.schemas.get(channel.schema)
    if (channel.encoding !== (walked.header.profile === "ros2" ? "cdr" : "json")) fail(name, channel.topic, "is", channel.encoding)
    try {
      decoders.set(id, schema.encoding === "ros2msg" ? rosDecoder(schema) : jsonDecoder(schema, new Map(channel.metadata).get("armtap.protocol") === "aubo"))
    } catch (error) {
      fail(name, channel.topic, "schema:", error.message)
    }
  }
  for (const message of walked.messages) {
    const channel = walked.channels.get(message.channel)
    if (message.logTime !== message.publishTime) fail(name, channel.topic, "log time", message.logTime, "publish time", message.publishTime)
    const expected = next.get(message.channel) ?? message.sequence
    if (message.sequence !== expected || expected > 1 && !next.has(message.channel)) fail(name, channel.topic, "sequence", message.sequence, "after", expected - 1)
    next.set(message.channel, message.sequence + 1)
    if (!topics.has(channel.topic)) topics.set(channel.topic, [])
    try {
      const { decode, fields } = decoders.get(message.channel)
      topics.get(channel.topic).push({ time: message.logTime, value: decode(message.data), fields, channel: message.channel })
    } catch (error) {
      fail(name, channel.topic, message.sequence, error.message)
    }
  }
  return topics
}

// ---- values --------------------------------------------------------------------------------------------------------------------

// The names of a message's values, in order: those of a table's columns, where these are no names in ROS 2.
const valueNames = fields => fields.filter(field => !field.isComplex && field.name !== "absent").flatMap(field =>
  field.arrayLength ? [...Array(field.arrayLength).keys()].map(k => `${field.name}_${k}`) : [field.name])

// The rows of a table: {time, cells: Map of name to cell, without absent ones}. Names in the message's spelling. JSON has no NaN and
// no infinity.
function readTable(path, spell, isJson, fields) {
  const [header, ...rows] = parseCsv(readFileSync(path, "utf8"))
  const at = header.indexOf("time_ns"), names = fields ? [...header.slice(0, at + 1), ...valueNames(fields)] : header.map(spell)
  if (names.length !== header.length || new Set(names).size !== names.length) fail(path, "names", names.join(), "in CSV", header.join())
  return rows.map((row, index) => {
    const cells = new Map()
    for (let k = at + 1; k < row.length; k++) if (row[k] !== null && !(isJson && /^(nan|-?inf)$/.test(row[k]))) cells.set(names[k], row[k])
    return { time: BigInt(row[at]), cells, index, table: path }
  })
}

const stampOf = ({ sec, nanosec }) => BigInt(sec) * 1000000000n + BigInt(nanosec)

// Whether a value equals its cell.
function isSame(value, cell) {
  if (typeof value === "boolean") return cell === (value ? "1" : "0") || cell === String(value)
  if (typeof value === "object") return JSON.stringify(value) === cell
  // A field whose values may be of any type holds JSON.
  if (typeof value === "string" && /^"/.test(value)) return JSON.parse(value) === cell
  if (value === "true" || value === "false") return cell === value || cell === String(Number(value === "true"))
  if (typeof value === "number" && /[.en]/.test(cell)) return isDouble(value, cell)
  return String(value) === cell || (typeof value === "number" && isDouble(value, cell))
}

// The elements of a member, by the names of the CSV's cells. What is an array there may be JSON here.
function* elementsOf(name, one, row) {
  if (typeof one === "string" && !row.cells.has(name) && /^\[/.test(one)) one = JSON.parse(one)
  if (Array.isArray(one)) one = one.flat(Infinity)
  const isList = Array.isArray(one) || ArrayBuffer.isView(one)
  // A column of values of any type is spread where one of them is an array.
  const alone = row.cells.has(name) || !row.cells.has(name + "_0") ? name : name + "_0"
  if (!isList || one.length === 1 && row.cells.has(name)) return yield [alone, isList ? one[0] : one]
  for (let k = 0; k < one.length; k++) if (one[k] !== null) yield [`${name}_${k}`, one[k]]
}

// What stands for an absent element: NaN where there is one.
const isPlaceholder = (one, type) => type === "float64" ? Number.isNaN(one) : one === 0 || one === 0n || one === false || one === ""

// The first difference of a message and a row; counts values. A message of ROS 2 names the members that are absent, which may have
// other elements.
function difference(value, fields, row, seen) {
  let count = 0
  const absent = new Set(value.header && value.absent)
  for (const [name, one] of Object.entries(value)) {
    if (value.header && (name === "header" || name === "absent")) continue
    let lacking = 0, there = 0
    for (const [cell, element] of elementsOf(name, one, row)) {
      const wanted = row.cells.get(cell)
      if (wanted === undefined && absent.has(name) && isPlaceholder(element, fields.find(field => field.name === name).type)) {
        lacking++
        continue
      }
      there++
      // The CSV does not tell an empty text from none.
      if (wanted === undefined && (element === "" || element === '""')) continue
      if (wanted === undefined) return `${cell} is ${element}, absent in CSV`
      if (!isSame(element, wanted)) return `${cell} is ${element}, in CSV ${wanted}`
      count++
    }
    if (absent.has(name) && there > 0 && lacking === 0) return `${name} is said to be absent`
  }
  if (count !== row.cells.size) return `${count} values, in CSV ${row.cells.size}: ${[...row.cells.keys()].join(" ")}`
  seen.values += count
  return null
}

// Every message is one row, every row one message.
function checkState(name, messages, rows, seen) {
  const waiting = new Map(), last = new Map()
  for (const row of rows) waiting.set(row.time, [...(waiting.get(row.time) ?? []), row])
  for (const { time, value, fields, channel } of messages) {
    if (value.header && stampOf(value.header.stamp) !== time) fail(name, "stamp", stampOf(value.header.stamp), "log time", time)
    const rowsThen = waiting.get(time) ?? []
    const at = rowsThen.findIndex(row => difference(value, fields, row, seen) === null)
    if (at < 0) fail(name, "at", time, rowsThen.length ? difference(value, fields, rowsThen[0], seen) : "no row in CSV")
    if (at < 0) continue
    const [row] = rowsThen.splice(at, 1), place = channel + row.table
    if (last.get(place) > row.index) fail(name, "row", row.index, "after", last.get(place))
    last.set(place, row.index)
    seen.rows++
  }
  for (const [time, left] of waiting) if (left.length) fail(name, "no message of the row at", time, "in", left[0].table)
}

// The driver's topics of streams that follow one another, message by message; each begins with the modes that it is in.
function checkTopics(name, topics, stream, parts, seen) {
  const wanted = new Map()
  for (const rows of parts)
    for (const [topic, messages] of driverTopics(rows, stream.series)) wanted.set(topic, [...(wanted.get(topic) ?? []), ...messages])
  const raw = wanted.get(WRENCH)?.some(one => one.value.header.frame_id === "base")
  if (raw) seen.raw.push(stream.robot)
  for (const topic of new Set([...wanted.keys(), ...[...topics.keys()].filter(one => one.startsWith(stream.prefix + "/")).map(one => one.slice(stream.prefix.length))])) {
    if (topic.startsWith("/armtap/") || topic === "/rosout") continue
    const found = topics.get(stream.prefix + topic) ?? [], expected = wanted.get(topic) ?? []
    if (found.length !== expected.length) {
      fail(name, topic, "messages", found.length, "expected", expected.length)
      continue
    }
    for (let i = 0; i < found.length; i++) {
      const wrong = found[i].time !== expected[i].time ? `time ${found[i].time}, expected ${expected[i].time}` : differs(found[i].value, expected[i].value, topic)
      if (wrong) fail(name, topic, i, wrong)
      seen.topics[topic] = (seen.topics[topic] ?? 0) + 1
    }
  }
}

const files = {}
for (const file of asked.files) {
  const bytes = readFileSync(file.mcap), name = file.name
  const seen = { values: 0, rows: 0, topics: {}, raw: [] }
  files[name] = seen
  try {
    const walked = walk(bytes, chunk => chunk.compression ? decompressHandlers[chunk.compression](chunk.packed, BigInt(chunk.size)) : chunk.packed,
      (...words) => fail(name, ...words))
    await checkReaders(name, bytes, walked)
    const topics = decodeAll(name, walked), isRos = walked.header.profile === "ros2"
    const spell = isRos ? text => text.toLowerCase() : text => text
    for (const stream of file.streams) {
      const state = [...topics].filter(([topic]) => topic.startsWith(stream.prefix + (stream.is_back ? "/armtap/to_robot" : "/armtap/state"))).flatMap(([, messages]) => messages)
      const parts = stream.parts.map(paths => paths.flatMap(path => readTable(path, spell, !isRos, file.is_by_place ? state[0]?.fields : null))
        .sort((a, b) => a.time < b.time ? -1 : a.time > b.time ? 1 : 0))
      const rows = parts.flat()
      checkState(`${name} ${stream.prefix}`, state, rows, seen)
      if (isRos && !stream.is_back) checkTopics(`${name} ${stream.prefix}`, topics, stream, parts, seen)
    }
    const text = value => JSON.stringify(value, (key, one) => typeof one === "bigint" ? String(one) : ArrayBuffer.isView(one) ? [...one] : one)
    if (file.yaml) seen.bag = JSON.parse(text(parseYaml(readFileSync(file.yaml, "utf8"), { intAsBigInt: true })))
    Object.assign(seen, {
      profile: walked.header.profile, library: walked.header.library, compressions: [...new Set(walked.chunks.map(chunk => chunk.compression))],
      chunks: walked.chunks.length, largest: Math.max(0, ...walked.chunks.map(chunk => chunk.size)), messages: walked.messages.length,
      first: String(walked.messages.reduce((a, m) => a < m.logTime ? a : m.logTime, walked.messages[0]?.logTime ?? 0n)),
      last: String(walked.messages.reduce((a, m) => a > m.logTime ? a : m.logTime, 0n)),
      metadata: walked.metadata.map(one => ({ name: one.name, entries: Object.fromEntries(one.entries) })),
      channels: [...walked.channels.values()].map(channel => ({ topic: channel.topic, encoding: channel.encoding, metadata: Object.fromEntries(channel.metadata),
        type: walked.schemas.get(channel.schema)?.name, schema: walked.schemas.get(channel.schema)?.encoding,
        text: walked.schemas.get(channel.schema)?.data, count: walked.messages.filter(m => walked.channels.get(m.channel) === channel).length })),
      logs: JSON.parse(text([...topics].filter(([topic]) => topic.endsWith("/rosout")).flatMap(([topic, list]) => list.map(one => ({ topic, time: one.time, ...one.value }))))),
    })
  } catch (error) {
    fail(name, error.stack)
  }
}
process.stdout.write(JSON.stringify({ files, errors }), () => process.exit(0))
