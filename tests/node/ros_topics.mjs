// What Universal Robots' ROS 2 driver publishes, from the values of a record. The formulas are not those of the program: rotations
// are matrices here.
import { numberOf } from "./cells.mjs"

const JOINTS = ["shoulder_pan", "shoulder_lift", "elbow", "wrist_1", "wrist_2", "wrist_3"].map(name => name + "_joint")
export const WRENCH = "/force_torque_sensor_broadcaster/wrench"
const ELEMENTS = [0, 1, 2, 3, 4, 5].map(k => "_" + k)
const PINS = [...Array(18).keys()]

// The matrix of a rotation vector, by the series of its exponential: no sine, no cosine.
export function rotationOf([x, y, z]) {
  const skew = [[0, -z, y], [z, 0, -x], [-y, x, 0]], one = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
  // Halved until small, then squared as often.
  const halvings = Math.max(0, Math.ceil(Math.log2(Math.hypot(x, y, z) + 1e-300)) + 6)
  const small = skew.map(row => row.map(value => value / 2 ** halvings))
  let sum = one, term = one
  for (let n = 1; n < 14; n++) {
    term = multiply(term, small).map(row => row.map(value => value / n))
    sum = sum.map((row, i) => row.map((value, k) => value + term[i][k]))
  }
  for (let n = 0; n < halvings; n++) sum = multiply(sum, sum)
  return sum
}
const multiply = (a, b) => a.map(row => b[0].map((_, k) => row.reduce((sum, value, n) => sum + value * b[n][k], 0)))
const turn = (matrix, vector) => matrix.map(row => row.reduce((sum, value, n) => sum + value * vector[n], 0))
const transposed = matrix => matrix[0].map((_, k) => matrix.map(row => row[k]))
const cross = ([a, b, c], [x, y, z]) => [b * z - c * y, c * x - a * z, a * y - b * x]
const minus = (a, b) => a.map((value, k) => value - b[k])
const xyz = ([x, y, z]) => ({ x, y, z })

// Whether a quaternion is this rotation, by the driver's formula: w is the cosine of half the angle, whatever that is.
const isRotation = vector => ({ x, y, z, w }) => {
  const matrix = rotationOf(vector), turned = [
    [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
    [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
    [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]
  const error = Math.max(...matrix.flatMap((row, i) => row.map((value, k) => Math.abs(value - turned[i][k]))))
  const along = x * vector[0] + y * vector[1] + z * vector[2], half = Math.hypot(...vector) / 2
  if (!(error < 1e-12)) return `a rotation off by ${error}`
  if (half < Math.PI && along < 0 || Math.abs(half - Math.PI / 2) > 1e-6 && half < Math.PI && w > 0 !== half < Math.PI / 2) return "the negative quaternion"
  return null
}

const near = (wanted, within) => found => Math.abs(found - wanted) <= within || Object.is(found, wanted) ? null : `${found}, expected ${wanted}`

// The first difference of a message from what is expected: values, or functions that judge them.
export function differs(found, wanted, where) {
  if (typeof wanted === "function") {
    const said = found === undefined ? "is absent" : wanted(found)
    return said ? `${where}: ${said}` : null
  }
  if (typeof wanted !== "object" || wanted === null) return Object.is(found, wanted) ? null : `${where}: ${found}, expected ${wanted}`
  const keys = Array.isArray(wanted) ? [...wanted.keys()] : Object.keys(wanted)
  if (typeof found !== "object" || found === null) return `${where}: ${found}`
  const count = found.length ?? Object.keys(found).length
  if (count !== keys.length) return `${where}: ${count} members, expected ${keys.length}`
  for (const key of keys) {
    const said = differs(found[key], wanted[key], `${where}.${key}`)
    if (said) return said
  }
  return null
}

const header = (time, frame) => ({ stamp: { sec: Number(time / 1000000000n), nanosec: Number(time % 1000000000n) }, frame_id: frame })

// The force at the tool, in the tool's frame; from the flange's on an e-Series.
function wrench(record, series) {
  const measured = record.vector("actual_tcp_force"), pose = record.vector("target_tcp_pose"), offset = record.vector("tcp_offset")
  const scale = 1e-12 * (1 + Math.hypot(...measured.filter(Number.isFinite))) * (1 + Math.hypot(...(offset ?? []).slice(0, 3)))
  const message = (frame, force, torque, within) => ({
    header: header(record.time, frame),
    wrench: { force: xyz(force.map(value => near(value, within))), torque: xyz(torque.map(value => near(value, within))) } })
  if (!pose || !["cb3", "e"].includes(series) || series === "e" && !offset) return message("base", measured.slice(0, 3), measured.slice(3), 0)
  const toTool = transposed(rotationOf(pose.slice(3)))
  if (series === "cb3") return message("tool0_controller", turn(toTool, measured.slice(0, 3)), turn(toTool, measured.slice(3)), scale)
  // Base to flange is base to tool, and back from the tool to the flange.
  const tool = rotationOf(offset.slice(3)), toFlange = transposed(multiply(transposed(toTool), transposed(tool)))
  const force = turn(toFlange, measured.slice(0, 3)), torque = turn(toFlange, measured.slice(3))
  return message("tool0_controller", turn(transposed(tool), force), turn(transposed(tool), minus(torque, cross(offset.slice(0, 3), force))), scale)
}

const pins = bits => bits === null ? [] : PINS.map(pin => ({ pin, state: (bits >> BigInt(pin) & 1n) === 1n }))
function ioStates(record) {
  const types = record.bits("analog_io_types")
  const analog = (name, shift) => types === null ? [] : [0, 1].filter(pin => record.has(name + pin)).map(pin => ({
    pin, domain: Number(types >> BigInt(pin + shift) & 1n), state: Math.fround(record.number(name + pin)) }))
  return {
    digital_in_states: pins(record.bits("actual_digital_input_bits")), digital_out_states: pins(record.bits("actual_digital_output_bits")),
    flag_states: [], analog_in_states: analog("standard_analog_input", 0), analog_out_states: analog("standard_analog_output", 2) }
}

const TOOL = ["tool_analog_input_types", "tool_analog_input0", "tool_analog_input1", "tool_output_voltage", "tool_output_current", "tool_temperature", "tool_mode"]
function toolData(record) {
  const [types, first, second, voltage, current, temperature, mode] = TOOL.map(name => record.number(name))
  return {
    analog_input_range2: types & 1, analog_input_range3: types >> 1 & 1, analog_input2: first, analog_input3: second, tool_voltage_48v: NaN,
    tool_output_voltage: voltage, tool_current: Math.fround(current), tool_temperature: Math.fround(temperature), tool_mode: mode }
}

// What only Universal Robots' controllers from CB3 on have.
function* controllerMessages(record, series) {
  const folder = "/io_and_status_controller", io = ioStates(record)
  if (Object.values(io).some(list => list.length)) yield [folder + "/io_states", io]
  if (TOOL.every(record.has)) yield [folder + "/tool_data", toolData(record)]
  if (record.has("robot_mode") && series !== "cb2") yield [folder + "/robot_mode", { mode: record.number("robot_mode") }, true]
  if (record.has("safety_mode")) yield [folder + "/safety_mode", { mode: record.number("safety_mode") }, true]
  if (record.has("runtime_state") && series !== "cb2") yield [folder + "/robot_program_running", { data: record.number("runtime_state") === 2 }, true]
}

// The messages of one record: [topic, message, whether only a change is published].
function* messagesOf(record, series) {
  const { time } = record, pose = record.vector("actual_tcp_pose"), speed = record.vector("actual_tcp_speed")
  const [position, velocity, effort] = ["actual_q", "actual_qd", "actual_current"].map(name => record.vector(name))
  if (position || velocity || effort) {
    yield ["/joint_states", { header: header(time, "base_link"), name: JOINTS, position: position ?? [], velocity: velocity ?? [], effort: effort ?? [] }]
  }
  if (pose) {
    const place = xyz(pose), rotation = isRotation(pose.slice(3))
    yield ["/tcp_pose_broadcaster/pose", { header: header(time, "base"), pose: { position: place, orientation: rotation } }]
    yield ["/tf", { transforms: [{ header: header(time, "base"), child_frame_id: "tool0_controller", transform: { translation: place, rotation } }] }]
  }
  if (speed) yield ["/tcp_twist", { header: header(time, "base"), twist: { linear: xyz(speed), angular: xyz(speed.slice(3)) } }]
  if (record.vector("actual_tcp_force")) yield [WRENCH, wrench(record, series)]
  if (series !== "aubo") yield* controllerMessages(record, series)
  if (record.has("speed_scaling")) {
    const scaling = record.number("speed_scaling") * (record.has("target_speed_fraction") ? record.number("target_speed_fraction") : 1) * 100
    yield ["/speed_scaling_state_broadcaster/speed_scaling", { data: near(scaling, Math.abs(scaling) * 1e-15) }]
  }
}

// {topic: [{time, value}]} of a stream's rows, in order; series: "cb2", "cb3", "e" or "aubo", null where it is unknown.
export function driverTopics(rows, series) {
  const topics = new Map(), latest = new Map()
  for (const { time, cells } of rows) {
    const record = {
      time, has: name => cells.has(name), number: name => numberOf(cells.get(name)),
      bits: name => /^\d+$/.test(cells.get(name)) ? BigInt(cells.get(name)) : null,
      vector: name => ELEMENTS.every(k => cells.has(name + k)) ? ELEMENTS.map(k => numberOf(cells.get(name + k))) : null,
    }
    for (const [topic, value, onChange] of messagesOf(record, series)) {
      const text = onChange ? JSON.stringify(value) : ""
      if (onChange && latest.get(topic) === text) continue
      latest.set(topic, text)
      if (!topics.has(topic)) topics.set(topic, [])
      topics.get(topic).push({ time, value })
    }
  }
  return topics
}
