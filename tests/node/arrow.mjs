// Reads Arrow streams and files with apache-arrow, and compares every value with the CSV of the same rows.
//
// Standard input: {"packages": folder of node_modules, "pairs": [{"name", "arrow", "csv"}]}. Standard output: {"files": {name:
// {rows, columns, batches, notes, ofFields, types, values, nulls}}, "errors": [text]}.
import { createRequire } from "node:module"
import { readFileSync } from "node:fs"
import { isDouble, parseCsv } from "./cells.mjs"

const asked = JSON.parse(readFileSync(0, "utf8"))
const { tableFromIPC } = createRequire(asked.packages + "/package.json")("apache-arrow")

const errors = []
const fail = (...words) => errors.length < 20 && errors.push(words.join(" "))

// The raw number of a time: apache-arrow makes milliseconds of it.
const rawTime = (vector, row) => {
  let at = row
  for (const data of vector.data) {
    if (at < data.length) return data.values[at]
    at -= data.length
  }
}

function isSame(value, cell, type) {
  if (value === null || cell === null) return value === cell || (cell === null && ["", '""'].includes(value)) // empty texts
  if (/^Timestamp/.test(type)) return value === BigInt(cell.replace(".", ""))
  if (type === "Float64") return isDouble(value, cell)
  if (type === "Bool") return value === (cell === "1")
  const text = value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : String(value)
  if (text.startsWith('"')) return JSON.parse(text) === cell
  return text === cell || (/^(true|false)$/.test(text) && String(Number(text === "true")) === cell)
}

// The columns of the CSV: those of a list are its elements.
function columnsOf(field) {
  if (!/^FixedSizeList/.test(String(field.type))) return [[field.name, null, String(field.type)]]
  return Array.from({ length: field.type.listSize }, (_, k) => [`${field.name}_${k}`, k, String(field.type.children[0].type)])
}

function compare(name, table, rows, seen) {
  const places = new Map(rows[0].map((column, k) => [column, k]))
  for (const field of table.schema.fields) {
    const vector = table.getChild(field.name)
    for (const [column, element, type] of columnsOf(field)) {
      const k = places.get(column)
      if (k === undefined || vector.length !== rows.length - 1) {
        fail(name, column, "in the CSV:", k, "rows", vector.length, rows.length - 1)
        continue
      }
      places.delete(column)
      for (let i = 0; i < vector.length; i++) {
        let value = vector.get(i)
        if (value !== null && element !== null) value = value.get(element)
        if (value !== null && /^Timestamp/.test(type)) value = rawTime(vector, i)
        if (!isSame(value, rows[i + 1][k], type)) fail(name, column, type, "row", i, value, "in CSV", rows[i + 1][k])
        seen.values++
        if (value === null) seen.nulls++
      }
    }
  }
  if (places.size > 0) fail(name, "not there:", [...places.keys()].join())
}

const files = {}
for (const pair of asked.pairs) {
  const table = tableFromIPC(readFileSync(pair.arrow))
  const seen = { rows: table.numRows, columns: table.schema.fields.length, batches: table.batches.length, values: 0, nulls: 0 }
  seen.notes = Object.fromEntries(table.schema.metadata)
  seen.ofFields = Object.fromEntries(table.schema.fields.map(field => [field.name, Object.fromEntries(field.metadata)]))
  seen.types = Object.fromEntries(table.schema.fields.map(field => [field.name, String(field.type)]))
  seen.nullable = table.schema.fields.every(field => field.nullable)
  compare(pair.name, table, parseCsv(readFileSync(pair.csv, "utf8")), seen)
  files[pair.name] = seen
}
process.stdout.write(JSON.stringify({ files, errors }), () => process.exit(0))
