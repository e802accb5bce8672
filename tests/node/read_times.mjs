// CPU seconds in which DuckDB, on one thread, reads files into a table, all columns or one.
//
// Standard input: {"packages": folder of node_modules, "files": {name: SQL of the source}, "column": its name, "rounds": N}.
// Standard output: {name: {"rows": N, "columns": N, "all": [seconds], "one": [seconds]}}.
import { createRequire } from "node:module"
import { readFileSync } from "node:fs"
import { pathToFileURL } from "node:url"

const asked = JSON.parse(readFileSync(0, "utf8"))
const require = createRequire(asked.packages + "/package.json")
const { DuckDBInstance } = await import(pathToFileURL(require.resolve("@duckdb/node-api")))
const database = await (await DuckDBInstance.create(":memory:", { threads: "1" })).connect()

async function seconds(columns, source) {
  const begin = process.cpuUsage()
  await database.run(`create or replace table back as select ${columns} from ${source}`)
  const took = process.cpuUsage(begin)
  return (took.user + took.system) / 1e6
}

const answer = {}
for (const [name, source] of Object.entries(asked.files)) {
  await seconds("*", source)
  const [[rows, columns]] = (await database.runAndReadAll(
    "select (select count(*) from back), (select count(*) from (describe back))")).getRows()
  answer[name] = { rows: Number(rows), columns: Number(columns), all: [], one: [] }
}
for (let round = 0; round < asked.rounds; round++) // in turns
  for (const [name, source] of Object.entries(asked.files)) {
    answer[name].all.push(await seconds("*", source))
    answer[name].one.push(await seconds(`"${asked.column}"`, source))
  }
console.log(JSON.stringify(answer))
