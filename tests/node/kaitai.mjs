// Kaitai Struct: compiles descriptions, and reads streams with the JavaScript made of them.
//
// Standard input: {"packages": folder of node_modules, "compile": [{"ksy": file, "language", "folder"}], "read": [{"module": file,
// "stream": file, "parameters": [...], "ids": [names]}]}. Standard output: {"made": [[files]], "read": [{"rows": [[the values of each id:
// null, or the bits of a double in hexadecimal, one for each element]], "left": bytes after the last message}]}.
import { createRequire } from "node:module"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { basename } from "node:path"

const asked = JSON.parse(readFileSync(0, "utf8"))
const require = createRequire(asked.packages + "/package.json")
const KaitaiStream = require("kaitai-struct/KaitaiStream")

const camel = id => id.replace(/_+([a-z0-9])/g, (_, letter) => letter.toUpperCase())

const cell = new DataView(new ArrayBuffer(8))
function bits(value) {
  cell.setFloat64(0, Number(value))
  return cell.getBigUint64(0).toString(16)
}

// The value of an id in a layout or its joints; undefined if it has none.
function valueIn(part, id) {
  const key = camel(id)
  if (part[key] !== undefined)
    return part[key]
  for (const joints of [part.joints, part.joints2])
    if (joints && joints[0][key] !== undefined)
      return joints.map(joint => joint[key])
}

// The objects that hold a message's values; none: it has no values.
function holders(message) {
  if (message.body === undefined)
    return [message.cb2 ?? message.cb3e]
  if (message.body.data !== undefined)
    return [message.body.data]
  return (message.body.subPackages ?? []).flatMap(
    one => Object.entries(one.body).filter(([name, part]) => name[0] !== "_" && part && part._io).map(([, part]) => part))
}

function rowOf(message, ids) {
  const parts = holders(message)
  return parts.length === 0 ? null : ids.map(id => {
    for (const part of parts) {
      const value = valueIn(part, id)
      if (value !== undefined)
        return (Array.isArray(value) ? value : [value]).map(bits)
    }
    return null
  })
}

function read({ module, stream, parameters, ids }) {
  const Message = require(module)
  const io = new KaitaiStream(new Uint8Array(readFileSync(stream)).buffer)
  const rows = []
  let at = 0
  try {
    for (; !io.isEof(); at = io.pos) {
      const row = rowOf(new Message(io, null, null, ...parameters), ids)
      if (row)
        rows.push(row)
    }
  } catch (error) {
    return { rows, left: io.size - at, error: String(error) }
  }
  return { rows, left: 0 }
}

async function compile({ ksy, language, folder }) {
  const Compiler = require("kaitai-struct-compiler"), { parse } = require("yaml")
  const files = await new Compiler().compile(language, parse(readFileSync(ksy, "utf8")), null, false)
  mkdirSync(folder, { recursive: true })
  return Object.entries(files).map(([name, text]) => {
    const file = folder + "/" + basename(name)
    writeFileSync(file, text)
    return file
  })
}

const made = []
for (const one of asked.compile ?? [])
  made.push(await compile(one))
console.log(JSON.stringify({ made, read: (asked.read ?? []).map(read) }))
