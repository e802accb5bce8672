// Reads Parquet files with hyparquet and with DuckDB, and compares every value with the CSV of the same rows.
//
// Standard input: {"packages": folder of node_modules, "pairs": [{"name", "parquet", "csv"}], "queries": {name: SQL}, "database":
// file, if any}. Standard output: {"files": {name: {rows, columns, groups, notes, types, values, nulls, nans}}, "errors": [text],
// "answers": {name: rows}, "columns": {name: names}}.
import { createRequire } from "node:module"
import { readFileSync } from "node:fs"
import { pathToFileURL } from "node:url"
import { isDouble, parseCsv } from "./cells.mjs"

const asked = JSON.parse(readFileSync(0, "utf8"))
const require = createRequire(asked.packages + "/package.json")
const load = async name => import(pathToFileURL(require.resolve(name)))
const { parquetMetadata, parquetRead } = await load("hyparquet")
const { compressors } = await load("hyparquet-compressors")
const { DuckDBInstance } = await load("@duckdb/node-api")
const database = await (await DuckDBInstance.create(asked.database ?? ":memory:")).connect()
await database.run("SET TimeZone = 'UTC'")

const errors = []
const fail = (...words) => errors.length < 20 && errors.push(words.join(" "))

// Whether a value is what the CSV's cell says. Times are microseconds in Parquet, nine decimals in the CSV.
function isSame(value, cell, type) {
  if (value === null || (cell === null && value !== '""')) return value === cell || (value === "" && cell === null)
  if (type === "TIME") return BigInt(value) === BigInt.asIntN(64, floorMicroseconds(cell))
  if (type === "DOUBLE") return isDouble(value, cell)
  if (type === "BOOLEAN") return value === (cell === "1")
  // A column whose values may be of any type holds JSON; the CSV has its texts without quotes.
  if (type === "BYTE_ARRAY" && value.startsWith('"')) return JSON.parse(value) === (cell ?? "")
  if (type === "BYTE_ARRAY" && /^(true|false)$/.test(value)) return value === cell || Number(value === "true") === Number(cell)
  return String(value) === cell
}

function floorMicroseconds(cell) {
  const ns = BigInt(cell.replace(".", ""))
  return ns >= 0n ? ns / 1000n : -((-ns + 999n) / 1000n)
}

// The type of a schema's element, as isSame knows it.
const typeOf = element => element.logical_type?.type === "TIMESTAMP" ? "TIME" : element.type

async function readHyparquet(file, metadata) {
  const columns = new Map()
  for (const element of metadata.schema.slice(1)) columns.set(element.name, [])
  await parquetRead({
    file, metadata, compressors, utf8: false,
    parsers: { timestampFromMicroseconds: value => value, stringFromBytes: bytes => bytes && new TextDecoder().decode(bytes) },
    onChunk: chunk => {
      const into = columns.get(chunk.columnName)
      for (let i = 0; i < chunk.columnData.length; i++) into[Number(chunk.rowStart) + i] = chunk.columnData[i] ?? null
    },
  })
  return columns
}

async function readDuckdb(path) {
  const reader = await database.runAndReadAll(`select * from read_parquet('${path}')`)
  const columns = new Map()
  reader.columnNames().forEach((name, i) => columns.set(name, []))
  const names = reader.columnNames()
  reader.getColumns().forEach((values, i) => columns.set(names[i], values.map(value =>
    value?.micros !== undefined ? value.micros : value?.bytes !== undefined ? new TextDecoder().decode(value.bytes) : value)))
  return columns
}

function compare(name, reader, columns, rows, schema, seen) {
  const header = rows[0]
  const names = schema.map(element => element.name)
  if (names.join() !== header.join()) return fail(name, reader, "columns", names.join(), "in CSV", header.join())
  for (let k = 0; k < header.length; k++) {
    const values = columns.get(header[k]), type = typeOf(schema[k])
    if (!values || values.length !== rows.length - 1) {
      fail(name, reader, header[k], "rows", values?.length, "in CSV", rows.length - 1)
      continue
    }
    for (let i = 0; i < values.length; i++) {
      if (!isSame(values[i], rows[i + 1][k], type)) fail(name, reader, header[k], "row", i, values[i], "in CSV", rows[i + 1][k])
      seen.values++
      if (values[i] === null) seen.nulls++
      if (Number.isNaN(values[i])) seen.nans++
    }
  }
}

// Least and greatest values in a footer, against the values: a reader skips row groups by them.
function checkRanges(name, metadata, columns) {
  let from = 0, ranges = 0
  for (const group of metadata.row_groups) {
    const to = from + Number(group.num_rows)
    for (const { meta_data: chunk } of group.columns) {
      const element = metadata.schema.find(one => one.name === chunk.path_in_schema[0])
      const values = columns.get(element.name).slice(from, to).filter(value => value !== null)
      const statistics = chunk.statistics, counted = values.filter(value => !Number.isNaN(value))
      if (Number(statistics.null_count) !== to - from - values.length) fail(name, element.name, "null_count", statistics.null_count)
      if (element.type === "BYTE_ARRAY") continue
      if ((statistics.min_value === undefined) !== (counted.length === 0)) fail(name, element.name, "has a range, or none")
      if (counted.length === 0) continue
      ranges++
      const plain = value => value instanceof Date ? BigInt(Math.round(value.getTime() * 1000)) : value
      // hyparquet cuts times of a range to milliseconds.
      const low = plain(statistics.min_value)
      const high = typeOf(element) === "TIME" ? plain(statistics.max_value) + 999n : statistics.max_value
      let least = counted[0], most = counted[0]
      for (const value of counted) {
        if (value < least) least = value
        if (value > most) most = value
      }
      if (low > least || high < most) fail(name, element.name, "range", low, high, "values", least, most)
      if (typeOf(element) !== "TIME" && (low != least || high != most)) fail(name, element.name, "wide range", low, high, least, most)
      if (element.type !== "DOUBLE") continue
      if (low === 0 && !Object.is(low, -0)) fail(name, element.name, "the least is +0")
      if (Object.is(high, -0)) fail(name, element.name, "the greatest is -0")
    }
    from = to
  }
  return ranges
}

const files = {}
for (const pair of asked.pairs) {
  const bytes = readFileSync(pair.parquet)
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
  const metadata = parquetMetadata(file)
  const schema = metadata.schema.slice(1)
  const seen = { rows: Number(metadata.num_rows), columns: schema.length, groups: metadata.row_groups.length, values: 0, nulls: 0, nans: 0 }
  const rows = parseCsv(readFileSync(pair.csv, "utf8"))
  const columns = await readHyparquet(file, metadata)
  compare(pair.name, "hyparquet", columns, rows, schema, seen)
  compare(pair.name, "DuckDB", await readDuckdb(pair.parquet), rows, schema, seen)
  seen.ranges = checkRanges(pair.name, metadata, columns)
  seen.notes = Object.fromEntries((metadata.key_value_metadata ?? []).map(note => [note.key, note.value]))
  seen.types = Object.fromEntries(schema.map(element => [element.name, [element.type, element.converted_type ?? null, element.repetition_type]]))
  seen.codecs = [...new Set(metadata.row_groups.flatMap(group => group.columns.map(column => column.meta_data.codec)))]
  seen.encodings = [...new Set(metadata.row_groups.flatMap(group => group.columns.flatMap(column => column.meta_data.encodings)))]
  seen.sorted = metadata.row_groups.every(group => group.sorting_columns?.length === 1)
  seen.created_by = metadata.created_by
  files[pair.name] = seen
}

const answers = {}, columns = {}
for (const [name, query] of Object.entries(asked.queries ?? {})) {
  const reader = await database.runAndReadAll(query)
  columns[name] = reader.columnNames()
  answers[name] = reader.getRows().map(row => row.map(value => value === null ? null : String(value)))
}
process.stdout.write(JSON.stringify({ files, errors, answers, columns }), () => process.exit(0))
