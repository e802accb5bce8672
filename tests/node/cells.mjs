// Cells of a CSV file, and whether a value equals one.

// RFC 4180: records of cells; a cell without quotes and without a character is null.
export function parseCsv(text) {
  const rows = []
  let row = [], at = 0
  while (at < text.length) {
    let cell
    if (text[at] === '"') {
      const parts = []
      let end = text.indexOf('"', at + 1)
      while (text[end + 1] === '"') {
        parts.push(text.slice(at + 1, end + 1))
        at = end + 1
        end = text.indexOf('"', at + 1)
      }
      cell = parts.join("") + text.slice(at + 1, end)
      at = end + 1
    } else {
      const from = at
      while (text[at] !== "," && text[at] !== "\n") at++
      cell = at > from ? text.slice(from, at) : null
    }
    row.push(cell)
    if (text[at] === "\n") {
      rows.push(row)
      row = []
    }
    at++
  }
  return rows
}

const bits = new DataView(new ArrayBuffer(16))
export function sameBits(a, b) {
  bits.setFloat64(0, a)
  bits.setFloat64(8, b)
  return bits.getBigUint64(0) === bits.getBigUint64(8)
}

const numbers = { inf: Infinity, "-inf": -Infinity, nan: NaN }

// A number as the CSV has it.
export const numberOf = cell => numbers[cell] ?? Number(cell)

// Whether a double is what the cell says, to the last bit; NaN is any NaN.
export const isDouble = (value, cell) => cell === "nan" ? Number.isNaN(value) : sameBits(value, numberOf(cell))
