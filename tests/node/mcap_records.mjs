// An MCAP file record by record, by hand: what readers do not check. Places, lengths, counts, ranges and sums of the index,
// against the records that they are about.
const HEADER = 1, FOOTER = 2, SCHEMA = 3, CHANNEL = 4, MESSAGE = 5, CHUNK = 6, MESSAGE_INDEX = 7, CHUNK_INDEX = 8,
  STATISTICS = 0x0b, METADATA = 0x0c, METADATA_INDEX = 0x0d, SUMMARY_OFFSET = 0x0e, DATA_END = 0x0f
const MAGIC = "894d434150300d0a"
const HEAD = 9

const table = new Uint32Array(256)
for (let n = 0; n < 256; n++) {
  let c = n
  for (let k = 0; k < 8; k++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1
  table[n] = c >>> 0
}
export function crc32(bytes) {
  let c = 0xffffffff
  for (let i = 0; i < bytes.length; i++) c = (c >>> 8) ^ table[(c ^ bytes[i]) & 255]
  return (c ^ 0xffffffff) >>> 0
}

// Reads the members of a record's content, which must end where the record does.
class Cursor {
  constructor(bytes, at = 0, end = bytes.length) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.bytes = bytes
    this.at = at
    this.end = end
  }
  skip(n) {
    if (n > this.end - this.at) throw new Error(`a record ends ${n - (this.end - this.at)} bytes short, at ${this.at}`)
    this.at += n
    return this.at - n
  }
  u8() { return this.view.getUint8(this.skip(1)) }
  u16() { return this.view.getUint16(this.skip(2), true) }
  u32() { return this.view.getUint32(this.skip(4), true) }
  u64() { return this.view.getBigUint64(this.skip(8), true) }
  size() { return Number(this.u64()) }
  take(n) { return this.bytes.subarray(this.skip(n), this.at) }
  rest() { return this.take(this.end - this.at) }
  text() { return new TextDecoder("utf-8", { fatal: true }).decode(this.take(this.u32())) }
  list(one) {
    const length = this.u32(), inner = new Cursor(this.bytes, this.skip(length), this.at), found = []
    while (inner.at < inner.end) found.push(one(inner))
    return found
  }
  map(key, value) { return this.list(inner => [key(inner), value(inner)]) }
}

const readers = {
  [HEADER]: c => ({ profile: c.text(), library: c.text() }),
  [FOOTER]: c => ({ summaryStart: c.size(), offsetStart: c.size(), crc: c.u32() }),
  [SCHEMA]: c => ({ id: c.u16(), name: c.text(), encoding: c.text(), data: c.text() }),
  [CHANNEL]: c => ({ id: c.u16(), schema: c.u16(), topic: c.text(), encoding: c.text(), metadata: c.map(i => i.text(), i => i.text()) }),
  [MESSAGE]: c => ({ channel: c.u16(), sequence: c.u32(), logTime: c.u64(), publishTime: c.u64(), data: c.rest() }),
  [CHUNK]: c => ({ first: c.u64(), last: c.u64(), size: c.size(), crc: c.u32(), compression: c.text(), packed: c.take(c.size()) }),
  [MESSAGE_INDEX]: c => ({ channel: c.u16(), entries: c.map(i => i.u64(), i => i.size()) }),
  [CHUNK_INDEX]: c => ({ first: c.u64(), last: c.u64(), offset: c.size(), length: c.size(), indexes: c.map(i => i.u16(), i => i.size()),
    indexLength: c.size(), compression: c.text(), packedSize: c.size(), size: c.size() }),
  [STATISTICS]: c => ({ messages: c.size(), schemas: c.u16(), channels: c.u32(), attachments: c.u32(), metadata: c.u32(),
    chunks: c.u32(), first: c.u64(), last: c.u64(), counts: c.map(i => i.u16(), i => i.size()) }),
  [METADATA]: c => ({ name: c.text(), entries: c.map(i => i.text(), i => i.text()) }),
  [METADATA_INDEX]: c => ({ offset: c.size(), length: c.size(), name: c.text() }),
  [SUMMARY_OFFSET]: c => ({ opcode: c.u8(), start: c.size(), length: c.size() }),
  [DATA_END]: c => ({ crc: c.u32() }),
}

// The records of a range: {op (opcode), at, whole (length with its head), ...members}.
function recordsOf(bytes, from, to, fail) {
  const found = [], cursor = new Cursor(bytes, from, to)
  while (cursor.at < to) {
    const at = cursor.at, opcode = cursor.u8(), length = cursor.size(), inner = new Cursor(bytes, cursor.skip(length), cursor.at)
    if (!readers[opcode]) {
      fail("opcode", opcode, "at", at)
      continue
    }
    const record = readers[opcode](inner)
    if (inner.at !== inner.end) fail("opcode", opcode, "at", at, "has", inner.end - inner.at, "further bytes")
    found.push({ op: opcode, at, whole: length + HEAD, ...record })
  }
  return found
}

const plain = value => JSON.stringify(value, (key, one) => typeof one === "bigint" ? String(one) : one)
const same = (fail, what, told, counted) => plain(told) === plain(counted) || fail(what, plain(told), "counted", plain(counted))

function checkOrder(records, fail) {
  const letters = { [HEADER]: "H", [SCHEMA]: "s", [CHANNEL]: "c", [CHUNK]: "K", [MESSAGE_INDEX]: "i", [METADATA]: "m", [DATA_END]: "D",
    [STATISTICS]: "S", [CHUNK_INDEX]: "I", [METADATA_INDEX]: "M", [SUMMARY_OFFSET]: "o", [FOOTER]: "F", [MESSAGE]: "!" }
  const order = records.map(record => letters[record.op]).join("")
  if (!/^H[scm]*(Ki*[scm]*)*D[scSIM]+o+F$/.test(order)) fail("order of records", order)
  const groups = order.slice(order.indexOf("D") + 1).replace(/(.)\1*/g, "$1")
  if (new Set(groups).size !== groups.length) fail("the summary is not grouped", groups)
}

// Schemas and channels, wherever they are, in order; a channel's schema before it.
function takeDefinition(record, known, fail) {
  const { at, whole, ...members } = record
  const own = record.op === SCHEMA ? known.schemas : known.channels
  if (record.id === 0 && record.op === SCHEMA) fail("schema 0")
  if (own.has(record.id)) same(fail, "defined twice: " + record.id, members, own.get(record.id))
  own.set(record.id, members)
  if (record.op === CHANNEL && !known.schemas.has(record.schema)) fail("channel", record.topic, "before its schema", record.schema)
}

function checkChunk(chunk, indexes, known, decompress, fail) {
  const bytes = decompress(chunk)
  if (bytes.length !== chunk.size) fail("chunk at", chunk.at, "size", chunk.size, "is", bytes.length)
  if (chunk.crc !== crc32(bytes)) fail("chunk at", chunk.at, "crc", chunk.crc)
  const entries = new Map(), times = []
  for (const record of recordsOf(bytes, 0, bytes.length, fail)) {
    if (record.op === SCHEMA || record.op === CHANNEL) takeDefinition(record, known, fail)
    else if (record.op !== MESSAGE) fail("opcode", record.op, "in a chunk")
    else {
      if (!known.channels.has(record.channel)) fail("a message before its channel", record.channel)
      if (!entries.has(record.channel)) entries.set(record.channel, [])
      entries.get(record.channel).push([record.logTime, record.at])
      times.push(record.logTime)
      known.messages.push(record)
    }
  }
  if (times.length === 0) fail("an empty chunk at", chunk.at)
  const low = times.reduce((a, b) => a < b ? a : b, times[0] ?? 0n), high = times.reduce((a, b) => a > b ? a : b, times[0] ?? 0n)
  same(fail, "times of the chunk at " + chunk.at, [chunk.first, chunk.last], [low, high])
  const byTime = list => [...list].sort((a, b) => a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : a[1] - b[1])
  const told = indexes.map(index => [index.channel, byTime(index.entries)]).sort((a, b) => a[0] - b[0])
  same(fail, "message indexes of the chunk at " + chunk.at, told, [...entries].map(([id, list]) => [id, byTime(list)]).sort((a, b) => a[0] - b[0]))
}

function checkChunkIndex(index, chunk, indexes, fail) {
  if (!chunk) return fail("no chunk at", index.offset)
  const { op, at, whole, ...told } = index
  told.indexes.sort((a, b) => a[0] - b[0])
  same(fail, "index of the chunk at " + chunk.at, told, {
    first: chunk.first, last: chunk.last, offset: chunk.at, length: chunk.whole,
    indexes: indexes.map(one => [one.channel, one.at]).sort((a, b) => a[0] - b[0]),
    indexLength: indexes.reduce((sum, one) => sum + one.whole, 0), compression: chunk.compression,
    packedSize: chunk.packed.length, size: chunk.size })
}

function checkStatistics({ op, at, whole, ...members }, known, chunks, metadata, fail) {
  const counts = new Map(), times = known.messages.map(message => message.logTime)
  for (const { channel } of known.messages) counts.set(channel, (counts.get(channel) ?? 0) + 1)
  same(fail, "statistics", { ...members, counts: members.counts.filter(([, n]) => n > 0).sort((a, b) => a[0] - b[0]) }, {
    messages: times.length, schemas: known.schemas.size, channels: known.channels.size, attachments: 0,
    metadata: metadata.length, chunks: chunks.length, first: times.reduce((a, b) => a < b ? a : b, times[0] ?? 0n),
    last: times.reduce((a, b) => a > b ? a : b, 0n), counts: [...counts].sort((a, b) => a[0] - b[0]) })
}

function checkSummary(records, end, footer, known, chunks, indexesOf, fail) {
  const summary = records.filter(record => record.at > end.at && record.op !== FOOTER)
  const of = opcode => summary.filter(record => record.op === opcode)
  const told = (opcode, own) => same(fail, "definitions in the summary", of(opcode).map(({ at, whole, ...rest }) => rest).sort((a, b) => a.id - b.id),
    [...own.values()].sort((a, b) => a.id - b.id))
  told(SCHEMA, known.schemas)
  told(CHANNEL, known.channels)
  same(fail, "indexed chunks", of(CHUNK_INDEX).map(index => index.offset), chunks.map(chunk => chunk.at))
  for (const index of of(CHUNK_INDEX)) checkChunkIndex(index, chunks.find(chunk => chunk.at === index.offset), indexesOf.get(index.offset), fail)
  const metadata = records.filter(record => record.op === METADATA)
  same(fail, "indexed metadata", of(METADATA_INDEX).map(one => [one.offset, one.length, one.name]), metadata.map(one => [one.at, one.whole, one.name]))
  if (of(STATISTICS).length !== 1) return fail("records of statistics", of(STATISTICS).length)
  checkStatistics(of(STATISTICS)[0], known, chunks, metadata, fail)
  const groups = []
  for (const record of summary.filter(one => one.op !== SUMMARY_OFFSET)) {
    const last = groups[groups.length - 1]
    if (last?.[0] === record.op) last[2] += record.whole
    else groups.push([record.op, record.at, record.whole])
  }
  same(fail, "summary offsets", of(SUMMARY_OFFSET).map(one => [one.opcode, one.start, one.length]), groups)
  same(fail, "footer", [footer.summaryStart, footer.offsetStart], [summary[0]?.at, of(SUMMARY_OFFSET)[0]?.at])
}

// Everything in a file: {header, schemas, channels, messages, chunks, metadata}. decompress(chunk) gives a chunk's records.
export function walk(bytes, decompress, fail) {
  const hex = part => Buffer.from(part).toString("hex")
  if (hex(bytes.subarray(0, 8)) !== MAGIC || hex(bytes.subarray(-8)) !== MAGIC) fail("magic")
  const records = recordsOf(bytes, 8, bytes.length - 8, fail)
  checkOrder(records, fail)
  const known = { schemas: new Map(), channels: new Map(), messages: [] }
  const chunks = records.filter(record => record.op === CHUNK), indexesOf = new Map(chunks.map(chunk => [chunk.at, []]))
  const end = records.find(record => record.op === DATA_END), footer = records[records.length - 1]
  if (!end || footer.op !== FOOTER) throw new Error("no end of data, or no footer")
  let chunk
  for (const record of records.filter(one => one.at < end.at)) {
    if (record.op === CHUNK) chunk = record
    if (record.op === MESSAGE_INDEX) indexesOf.get(chunk.at).push(record)
  }
  for (const record of records.filter(one => one.at < end.at)) {
    if (record.op === SCHEMA || record.op === CHANNEL) takeDefinition(record, known, fail)
    if (record.op === CHUNK) checkChunk(record, indexesOf.get(record.at), known, decompress, fail)
  }
  if (end.crc !== crc32(bytes.subarray(0, end.at))) fail("data_section_crc", end.crc, "is", crc32(bytes.subarray(0, end.at)))
  if (footer.crc !== crc32(bytes.subarray(footer.summaryStart, footer.at + HEAD + 16))) fail("summary_crc", footer.crc)
  checkSummary(records, end, footer, known, chunks, indexesOf, fail)
  return { header: records[0], ...known, chunks, metadata: records.filter(record => record.op === METADATA) }
}
