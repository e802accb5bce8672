/* The field table: every field that armtap knows, once.
 *
 * The state struct, the field ids, the descriptors, the legacy layouts, the CSV headers and the documentation all come
 * from these rows. The rows up to the first release stand in the column order of the CB3/e-Series layout, so that a
 * whole packet decodes in a few runs; fields without a column follow. The struct and the ids are append-only: a new row
 * goes to the END, whatever its column, and the row that was last gets a backslash behind it. lib/README.md has the
 * other steps.
 *
 *   SCALAR(name, C type, type, direction, unit, CB2 column, CB3/e column, legacy name, since, meaning)
 *   VECTOR(name, C type, type, count, direction, unit, CB2 column, CB3/e column, legacy name, since, meaning)
 *   FAMILY(array, C type, type, length, direction, unit, CB2 column, CB3/e column, legacy name, prefix, first,
 *          EACH, since, EACH, since, meaning)
 *
 * A family is an array of fields of their own: element n is the field PREFIXn, its array index is n - first, and each
 * has its own id. EACH names the numbers (two ranges, since the ranges of one family came in different releases).
 * A column is UR's gnuplot column, 0 where the layout lacks the field; its bytes begin at 4 + 8 * (column - 1).
 * `since` is the release that brought the RTDE variable: of CB3 (3.x), e-Series (5.x) or PolyScope X (10.x); several,
 * one for each series, stand in this order with " / " between them: "5.23.0 / 10.11.0". A release has two or three
 * numbers, as UR gives it. "" where UR gives none.
 */
#ifndef ARMTAP_FIELDS_H
#define ARMTAP_FIELDS_H

/* clang-format off */
#define ARMTAP_EACH_NONE(X, ...)
#define ARMTAP_EACH_0_TO_23(X, ...)                                                                                    \
    X(0, __VA_ARGS__) X(1, __VA_ARGS__) X(2, __VA_ARGS__) X(3, __VA_ARGS__) X(4, __VA_ARGS__) X(5, __VA_ARGS__)        \
    X(6, __VA_ARGS__) X(7, __VA_ARGS__) X(8, __VA_ARGS__) X(9, __VA_ARGS__) X(10, __VA_ARGS__) X(11, __VA_ARGS__)      \
    X(12, __VA_ARGS__) X(13, __VA_ARGS__) X(14, __VA_ARGS__) X(15, __VA_ARGS__) X(16, __VA_ARGS__)                     \
    X(17, __VA_ARGS__) X(18, __VA_ARGS__) X(19, __VA_ARGS__) X(20, __VA_ARGS__) X(21, __VA_ARGS__)                     \
    X(22, __VA_ARGS__) X(23, __VA_ARGS__)
#define ARMTAP_EACH_24_TO_47(X, ...)                                                                                   \
    X(24, __VA_ARGS__) X(25, __VA_ARGS__) X(26, __VA_ARGS__) X(27, __VA_ARGS__) X(28, __VA_ARGS__)                     \
    X(29, __VA_ARGS__) X(30, __VA_ARGS__) X(31, __VA_ARGS__) X(32, __VA_ARGS__) X(33, __VA_ARGS__)                     \
    X(34, __VA_ARGS__) X(35, __VA_ARGS__) X(36, __VA_ARGS__) X(37, __VA_ARGS__) X(38, __VA_ARGS__)                     \
    X(39, __VA_ARGS__) X(40, __VA_ARGS__) X(41, __VA_ARGS__) X(42, __VA_ARGS__) X(43, __VA_ARGS__)                     \
    X(44, __VA_ARGS__) X(45, __VA_ARGS__) X(46, __VA_ARGS__) X(47, __VA_ARGS__)
#define ARMTAP_EACH_53_TO_67(X, ...)                                                                                   \
    X(53, __VA_ARGS__) X(54, __VA_ARGS__) X(55, __VA_ARGS__) X(56, __VA_ARGS__) X(57, __VA_ARGS__)                     \
    X(58, __VA_ARGS__) X(59, __VA_ARGS__) X(60, __VA_ARGS__) X(61, __VA_ARGS__) X(62, __VA_ARGS__)                     \
    X(63, __VA_ARGS__) X(64, __VA_ARGS__) X(65, __VA_ARGS__) X(66, __VA_ARGS__) X(67, __VA_ARGS__)
#define ARMTAP_EACH_64_TO_127(X, ...)                                                                                  \
    X(64, __VA_ARGS__) X(65, __VA_ARGS__) X(66, __VA_ARGS__) X(67, __VA_ARGS__) X(68, __VA_ARGS__)                     \
    X(69, __VA_ARGS__) X(70, __VA_ARGS__) X(71, __VA_ARGS__) X(72, __VA_ARGS__) X(73, __VA_ARGS__)                     \
    X(74, __VA_ARGS__) X(75, __VA_ARGS__) X(76, __VA_ARGS__) X(77, __VA_ARGS__) X(78, __VA_ARGS__)                     \
    X(79, __VA_ARGS__) X(80, __VA_ARGS__) X(81, __VA_ARGS__) X(82, __VA_ARGS__) X(83, __VA_ARGS__)                     \
    X(84, __VA_ARGS__) X(85, __VA_ARGS__) X(86, __VA_ARGS__) X(87, __VA_ARGS__) X(88, __VA_ARGS__)                     \
    X(89, __VA_ARGS__) X(90, __VA_ARGS__) X(91, __VA_ARGS__) X(92, __VA_ARGS__) X(93, __VA_ARGS__)                     \
    X(94, __VA_ARGS__) X(95, __VA_ARGS__) X(96, __VA_ARGS__) X(97, __VA_ARGS__) X(98, __VA_ARGS__)                     \
    X(99, __VA_ARGS__) X(100, __VA_ARGS__) X(101, __VA_ARGS__) X(102, __VA_ARGS__) X(103, __VA_ARGS__)                 \
    X(104, __VA_ARGS__) X(105, __VA_ARGS__) X(106, __VA_ARGS__) X(107, __VA_ARGS__) X(108, __VA_ARGS__)                \
    X(109, __VA_ARGS__) X(110, __VA_ARGS__) X(111, __VA_ARGS__) X(112, __VA_ARGS__) X(113, __VA_ARGS__)                \
    X(114, __VA_ARGS__) X(115, __VA_ARGS__) X(116, __VA_ARGS__) X(117, __VA_ARGS__) X(118, __VA_ARGS__)                \
    X(119, __VA_ARGS__) X(120, __VA_ARGS__) X(121, __VA_ARGS__) X(122, __VA_ARGS__) X(123, __VA_ARGS__)                \
    X(124, __VA_ARGS__) X(125, __VA_ARGS__) X(126, __VA_ARGS__) X(127, __VA_ARGS__)
#define ARMTAP_EACH_103_TO_108(X, ...)                                                                                 \
    X(103, __VA_ARGS__) X(104, __VA_ARGS__) X(105, __VA_ARGS__) X(106, __VA_ARGS__) X(107, __VA_ARGS__)                \
    X(108, __VA_ARGS__)
#define ARMTAP_EACH_112_TO_117(X, ...)                                                                                 \
    X(112, __VA_ARGS__) X(113, __VA_ARGS__) X(114, __VA_ARGS__) X(115, __VA_ARGS__) X(116, __VA_ARGS__)                \
    X(117, __VA_ARGS__)

#define ARMTAP_FIELDS(SCALAR, VECTOR, FAMILY) \
    SCALAR(timestamp, double, DOUBLE, OUTPUT, "s", 1, 1, "Time", "", "time since the controller started") \
    VECTOR(target_q, double, DOUBLE, 6, OUTPUT, "rad", 2, 2, "q target", "", "commanded joint positions") \
    VECTOR(target_qd, double, DOUBLE, 6, OUTPUT, "rad/s", 8, 8, "qd target", "", "commanded joint speeds") \
    VECTOR(target_qdd, double, DOUBLE, 6, OUTPUT, "rad/s^2", 14, 14, "qdd target", "", "commanded joint accelerations") \
    VECTOR(target_current, double, DOUBLE, 6, OUTPUT, "A", 20, 20, "I target", "", "commanded joint currents") \
    VECTOR(target_moment, double, DOUBLE, 6, OUTPUT, "Nm", 26, 26, "M target", "", "commanded joint torques") \
    VECTOR(actual_q, double, DOUBLE, 6, OUTPUT, "rad", 32, 32, "q actual", "", "measured joint positions") \
    VECTOR(actual_qd, double, DOUBLE, 6, OUTPUT, "rad/s", 38, 38, "qd actual", "", "measured joint speeds") \
    VECTOR(actual_current, double, DOUBLE, 6, OUTPUT, "A", 44, 44, "I actual", "", "measured joint currents") \
    VECTOR(joint_control_output, double, DOUBLE, 6, OUTPUT, "A", 0, 50, "I control", "", "joint control currents") \
    VECTOR(actual_TCP_pose, double, DOUBLE, 6, OUTPUT, "m, rad", 74, 56, "Tool vector actual", "", "measured tool pose: x, y, z and rotation vector") \
    VECTOR(actual_TCP_speed, double, DOUBLE, 6, OUTPUT, "m/s, rad/s", 0, 62, "TCP speed actual", "", "measured tool speed") \
    VECTOR(actual_TCP_force, double, DOUBLE, 6, OUTPUT, "N, Nm", 68, 68, "TCP force", "", "force and torque at the tool, in the base frame") \
    VECTOR(target_TCP_pose, double, DOUBLE, 6, OUTPUT, "m, rad", 0, 74, "Tool vector target", "", "commanded tool pose: x, y, z and rotation vector") \
    VECTOR(target_TCP_speed, double, DOUBLE, 6, OUTPUT, "m/s, rad/s", 80, 80, "TCP speed target", "", "commanded tool speed") \
    SCALAR(actual_digital_input_bits, uint64_t, UINT64, OUTPUT, "bits", 86, 86, "Digital input bits", "", "digital inputs: 0-7 standard, 8-15 configurable, 16-17 tool; CB2: 8-9 tool") \
    VECTOR(joint_temperatures, double, DOUBLE, 6, OUTPUT, "degC", 87, 87, "Motor temperatures", "", "joint temperatures") \
    SCALAR(actual_execution_time, double, DOUBLE, OUTPUT, "ms", 93, 93, "Controller Timer", "", "run time of the controller's real-time thread") \
    SCALAR(rt_94, double, DOUBLE, LEGACY, "", 94, 94, "Test value", "", "reserved by UR") \
    SCALAR(robot_mode, int32_t, INT32, OUTPUT, "enum", 95, 95, "Robot Mode", "", "robot mode; CB2 numbers it differently") \
    VECTOR(joint_mode, int32_t, INT32, 6, OUTPUT, "enum", 96, 96, "Joint Modes", "", "joint modes") \
    SCALAR(safety_mode, int32_t, INT32, OUTPUT, "enum", 0, 102, "Safety Mode", "", "safety mode") \
    FAMILY(rt_103, double, DOUBLE, 6, LEGACY, "", 0, 103, "", "rt_", 103, ARMTAP_EACH_103_TO_108, "", ARMTAP_EACH_NONE, "", "reserved by UR") \
    VECTOR(actual_tool_accelerometer, double, DOUBLE, 3, OUTPUT, "m/s^2", 50, 109, "Tool Accelerometer values", "", "acceleration at the tool; not filled before 1.7") \
    FAMILY(rt_112, double, DOUBLE, 6, LEGACY, "", 0, 112, "", "rt_", 112, ARMTAP_EACH_112_TO_117, "", ARMTAP_EACH_NONE, "", "reserved by UR") \
    SCALAR(speed_scaling, double, DOUBLE, OUTPUT, "ratio", 0, 118, "Speed scaling", "", "speed scaling of the trajectory limiter") \
    SCALAR(actual_momentum, double, DOUBLE, OUTPUT, "kg m/s", 0, 119, "Linear momentum norm", "", "norm of the linear momentum") \
    SCALAR(rt_120, double, DOUBLE, LEGACY, "", 0, 120, "", "", "reserved by UR") \
    SCALAR(rt_121, double, DOUBLE, LEGACY, "", 0, 121, "", "", "reserved by UR") \
    SCALAR(actual_main_voltage, double, DOUBLE, OUTPUT, "V", 0, 122, "V main", "", "main voltage of the safety control board") \
    SCALAR(actual_robot_voltage, double, DOUBLE, OUTPUT, "V", 0, 123, "V robot", "", "robot voltage (48 V) of the safety control board") \
    SCALAR(actual_robot_current, double, DOUBLE, OUTPUT, "A", 0, 124, "I robot", "", "robot current of the safety control board") \
    VECTOR(actual_joint_voltage, double, DOUBLE, 6, OUTPUT, "V", 0, 125, "V actual", "", "joint voltages") \
    SCALAR(actual_digital_output_bits, uint64_t, UINT64, OUTPUT, "bits", 0, 131, "Digital outputs", "", "digital outputs: 0-7 standard, 8-15 configurable, 16-17 tool; CB2: 8-9 tool") \
    SCALAR(runtime_state, uint32_t, UINT32, OUTPUT, "enum", 0, 132, "Program state", "", "program state") \
    VECTOR(elbow_position, double, DOUBLE, 3, OUTPUT, "m", 0, 133, "Elbow position", "3.5.0 / 5.0.0", "elbow position in the base frame") \
    VECTOR(elbow_velocity, double, DOUBLE, 3, OUTPUT, "m/s", 0, 136, "Elbow velocity", "3.5.0 / 5.0.0", "elbow velocity in the base frame") \
    SCALAR(safety_status, int32_t, INT32, OUTPUT, "enum", 0, 139, "Safety Status", "3.10.0 / 5.4.0", "safety status") \
    SCALAR(rt_140, double, DOUBLE, LEGACY, "", 0, 140, "", "", "reserved by UR") \
    SCALAR(rt_141, double, DOUBLE, LEGACY, "", 0, 141, "", "", "reserved by UR") \
    SCALAR(rt_142, double, DOUBLE, LEGACY, "", 0, 142, "", "", "reserved by UR") \
    SCALAR(payload, double, DOUBLE, OUTPUT, "kg", 0, 143, "Payload Mass", "3.11.0 / 5.5.1", "payload mass") \
    VECTOR(payload_cog, double, DOUBLE, 3, OUTPUT, "m", 0, 144, "Payload CoG", "3.11.0 / 5.5.1", "centre of gravity of the payload") \
    VECTOR(payload_inertia, double, DOUBLE, 6, OUTPUT, "kg m^2", 0, 147, "Payload Inertia", "3.15 / 5.11", "payload inertia: Ixx, Iyy, Izz, Ixy, Ixz, Iyz") \
    FAMILY(rt_53, double, DOUBLE, 15, LEGACY, "", 53, 0, "", "rt_", 53, ARMTAP_EACH_53_TO_67, "", ARMTAP_EACH_NONE, "", "reserved by UR") \
    VECTOR(actual_current_window, double, DOUBLE, 6, OUTPUT, "A", 0, 0, "", "", "allowed deviation of the joint currents") \
    VECTOR(actual_current_as_torque, double, DOUBLE, 6, OUTPUT, "Nm", 0, 0, "", "5.23.0 / 10.11.0", "measured joint currents as torques") \
    VECTOR(actual_TCP_acceleration, double, DOUBLE, 6, OUTPUT, "m/s^2, rad/s^2", 0, 0, "", "", "measured tool acceleration") \
    VECTOR(target_TCP_acceleration, double, DOUBLE, 6, OUTPUT, "m/s^2, rad/s^2", 0, 0, "", "", "commanded tool acceleration") \
    VECTOR(tcp_offset, double, DOUBLE, 6, OUTPUT, "m, rad", 0, 0, "", "3.12 / 5.5.1", "tool centre point relative to the flange") \
    SCALAR(actual_configurable_digital_input_bits, uint64_t, UINT64, OUTPUT, "bits", 0, 0, "", "", "configurable digital inputs") \
    SCALAR(actual_configurable_digital_output_bits, uint64_t, UINT64, OUTPUT, "bits", 0, 0, "", "", "configurable digital outputs") \
    SCALAR(target_execution_time, double, DOUBLE, OUTPUT, "", 0, 0, "", "", "planned run time of the real-time thread") \
    SCALAR(target_speed_fraction, double, DOUBLE, OUTPUT, "ratio", 0, 0, "", "", "position of the speed slider") \
    SCALAR(robot_status_bits, uint32_t, UINT32, OUTPUT, "bits", 0, 0, "", "", "robot status bits") \
    SCALAR(safety_status_bits, uint32_t, UINT32, OUTPUT, "bits", 0, 0, "", "", "safety status bits; bit 11 since 5.25.0 / 10.12.0") \
    SCALAR(analog_io_types, uint32_t, UINT32, OUTPUT, "bits", 0, 0, "", "", "range of AI0, AI1, AO0, AO1: 0 current, 1 voltage") \
    SCALAR(standard_analog_input0, double, DOUBLE, OUTPUT, "mA or V", 0, 0, "", "", "standard analog input 0; old documents say A") \
    SCALAR(standard_analog_input1, double, DOUBLE, OUTPUT, "mA or V", 0, 0, "", "", "standard analog input 1; old documents say A") \
    SCALAR(standard_analog_output0, double, DOUBLE, OUTPUT, "mA or V", 0, 0, "", "", "standard analog output 0; old documents say A") \
    SCALAR(standard_analog_output1, double, DOUBLE, OUTPUT, "mA or V", 0, 0, "", "", "standard analog output 1; old documents say A") \
    SCALAR(io_current, double, DOUBLE, OUTPUT, "mA", 0, 0, "", "", "current of the I/O supply; old documents say A") \
    SCALAR(euromap67_input_bits, uint32_t, UINT32, OUTPUT, "bits", 0, 0, "", "", "Euromap67 inputs") \
    SCALAR(euromap67_output_bits, uint32_t, UINT32, OUTPUT, "bits", 0, 0, "", "", "Euromap67 outputs") \
    SCALAR(euromap67_24V_voltage, double, DOUBLE, OUTPUT, "V", 0, 0, "", "", "Euromap67 supply voltage") \
    SCALAR(euromap67_24V_current, double, DOUBLE, OUTPUT, "mA", 0, 0, "", "", "Euromap67 supply current; old documents say A") \
    SCALAR(tool_mode, uint32_t, UINT32, OUTPUT, "enum", 0, 0, "", "", "tool mode") \
    SCALAR(tool_analog_input_types, uint32_t, UINT32, OUTPUT, "bits", 0, 0, "", "", "range of tool AI0, AI1: 0 current, 1 voltage") \
    SCALAR(tool_analog_input0, double, DOUBLE, OUTPUT, "mA or V", 0, 0, "", "", "tool analog input 0; old documents say A") \
    SCALAR(tool_analog_input1, double, DOUBLE, OUTPUT, "mA or V", 0, 0, "", "", "tool analog input 1; old documents say A") \
    SCALAR(tool_output_voltage, int32_t, INT32, OUTPUT, "V", 0, 0, "", "", "tool supply voltage: 0, 12 or 24") \
    SCALAR(tool_output_current, double, DOUBLE, OUTPUT, "mA", 0, 0, "", "", "tool supply current; old documents say A") \
    SCALAR(tool_temperature, double, DOUBLE, OUTPUT, "degC", 0, 0, "", "", "tool temperature") \
    SCALAR(tool_output_mode, uint8_t, UINT8, OUTPUT, "enum", 0, 0, "", "5.2.0", "what the tool's output pins do") \
    SCALAR(tool_digital_output0_mode, uint8_t, UINT8, OUTPUT, "enum", 0, 0, "", "5.2.0", "how tool output 0 is driven") \
    SCALAR(tool_digital_output1_mode, uint8_t, UINT8, OUTPUT, "enum", 0, 0, "", "5.2.0", "how tool output 1 is driven") \
    SCALAR(tool_output_voltage_2, int32_t, INT32, OUTPUT, "V", 0, 0, "", "10.15.0", "second tool supply's voltage (PolyScope X)") \
    SCALAR(tool_output_current_2, double, DOUBLE, OUTPUT, "mA", 0, 0, "", "10.15.0", "second tool supply's current (PolyScope X)") \
    SCALAR(tcp_force_scalar, double, DOUBLE, OUTPUT, "N", 0, 0, "", "", "size of the force at the tool") \
    SCALAR(joint_position_deviation_ratio, double, DOUBLE, OUTPUT, "ratio", 0, 0, "", "", "joint deviation against its limit; 1 stops the robot") \
    SCALAR(collision_detection_ratio, double, DOUBLE, OUTPUT, "ratio", 0, 0, "", "", "collision measure against its limit; 1 stops the robot") \
    SCALAR(script_control_line, uint32_t, UINT32, OUTPUT, "line", 0, 0, "", "3.14.0 / 5.9.0", "script line in control, 0 when none is") \
    VECTOR(ft_raw_wrench, double, DOUBLE, 6, OUTPUT, "N, Nm", 0, 0, "", "5.9.0", "force-torque sensor without payload compensation") \
    VECTOR(wrench_calc_from_currents, double, DOUBLE, 6, OUTPUT, "N, Nm", 0, 0, "", "", "force and torque estimated from joint currents") \
    SCALAR(encoder0_raw, int32_t, INT32, OUTPUT, "ticks", 0, 0, "", "", "conveyor encoder 0, raw count") \
    SCALAR(encoder1_raw, int32_t, INT32, OUTPUT, "ticks", 0, 0, "", "", "conveyor encoder 1, raw count") \
    SCALAR(actual_robot_energy_consumed, double, DOUBLE, OUTPUT, "J", 0, 0, "", "5.23.0 / 10.11.0", "energy that the robot consumed") \
    SCALAR(actual_robot_braking_energy_dissipated, double, DOUBLE, OUTPUT, "J", 0, 0, "", "5.23.0 / 10.11.0", "energy that braking turned into heat") \
    SCALAR(time_scale_source, int32_t, INT32, OUTPUT, "enum", 0, 0, "", "", "what scales the time; values not documented") \
    VECTOR(target_gravity, double, DOUBLE, 3, OUTPUT, "m/s^2", 0, 0, "", "5.26.0 / 10.12.0", "gravity that the controller assumes") \
    VECTOR(target_base_acceleration, double, DOUBLE, 6, OUTPUT, "m/s^2, rad/s^2", 0, 0, "", "5.26.0 / 10.12.0", "base acceleration that the controller assumes") \
    SCALAR(control_step, uint64_t, UINT64, OUTPUT, "count", 0, 0, "", "5.26.0 / 10.13.0", "number of the control cycle") \
    VECTOR(target_base_wrench, double, DOUBLE, 6, OUTPUT, "N, Nm", 0, 0, "", "5.26.0 / 10.14.0", "commanded force and torque at the base") \
    SCALAR(dexterity, double, DOUBLE, OUTPUT, "", 0, 0, "", "", "undocumented; listed by protocol 3's sample configuration") \
    SCALAR(speed_slider_mask, uint32_t, UINT32, INPUT, "", 0, 0, "", "", "1 applies speed_slider_fraction, 0 leaves the slider") \
    SCALAR(speed_slider_fraction, double, DOUBLE, INPUT, "ratio", 0, 0, "", "", "new position of the speed slider, 0 to 1") \
    SCALAR(standard_digital_output_mask, uint8_t, UINT8, INPUT, "bits", 0, 0, "", "", "which standard digital outputs to write") \
    SCALAR(configurable_digital_output_mask, uint32_t, UINT32, INPUT, "bits", 0, 0, "", "", "which configurable digital outputs to write; UINT8 before protocol 3") \
    SCALAR(tool_digital_output_mask, uint8_t, UINT8, INPUT, "bits", 0, 0, "", "", "which tool digital outputs to write") \
    SCALAR(standard_digital_output, uint8_t, UINT8, INPUT, "bits", 0, 0, "", "", "new standard digital outputs") \
    SCALAR(configurable_digital_output, uint32_t, UINT32, INPUT, "bits", 0, 0, "", "", "new configurable digital outputs; UINT8 before protocol 3") \
    SCALAR(tool_digital_output, uint8_t, UINT8, INPUT, "bits", 0, 0, "", "", "new tool digital outputs") \
    SCALAR(standard_analog_output_mask, uint8_t, UINT8, INPUT, "bits", 0, 0, "", "", "which analog outputs to write: bit 0 AO0, bit 1 AO1") \
    SCALAR(standard_analog_output_type, uint8_t, UINT8, INPUT, "bits", 0, 0, "", "", "range of AO0, AO1: 0 current, 1 voltage") \
    SCALAR(standard_analog_output_0, double, DOUBLE, INPUT, "ratio", 0, 0, "", "", "new analog output 0, 0 to 1 of its range") \
    SCALAR(standard_analog_output_1, double, DOUBLE, INPUT, "ratio", 0, 0, "", "", "new analog output 1, 0 to 1 of its range") \
    VECTOR(external_force_torque, double, DOUBLE, 6, INPUT, "N, Nm", 0, 0, "", "3.3", "external force and torque for ft_rtde_input_enable()") \
    SCALAR(input_bit_registers0_to_31, uint32_t, UINT32, BOTH, "bits", 0, 0, "", "3.4.0", "input bit registers 0 to 31, for fieldbus and PLC") \
    SCALAR(input_bit_registers32_to_63, uint32_t, UINT32, BOTH, "bits", 0, 0, "", "3.4.0", "input bit registers 32 to 63, for fieldbus and PLC") \
    SCALAR(output_bit_registers0_to_31, uint32_t, UINT32, OUTPUT, "bits", 0, 0, "", "", "output bit registers 0 to 31") \
    SCALAR(output_bit_registers32_to_63, uint32_t, UINT32, OUTPUT, "bits", 0, 0, "", "", "output bit registers 32 to 63") \
    FAMILY(input_bit_register, uint8_t, BOOL, 64, BOTH, "", 0, 0, "", "input_bit_register_", 64, ARMTAP_EACH_64_TO_127, "3.9.0 / 5.3.0", ARMTAP_EACH_NONE, "", "input bit register, for RTDE clients") \
    FAMILY(output_bit_register, uint8_t, BOOL, 64, OUTPUT, "", 0, 0, "", "output_bit_register_", 64, ARMTAP_EACH_64_TO_127, "3.9.0 / 5.3.0", ARMTAP_EACH_NONE, "", "output bit register") \
    FAMILY(input_int_register, int32_t, INT32, 48, BOTH, "", 0, 0, "", "input_int_register_", 0, ARMTAP_EACH_0_TO_23, "3.4.0", ARMTAP_EACH_24_TO_47, "3.9.0 / 5.3.0", "input register; 0-23 for fieldbus and PLC, 24-47 for RTDE clients") \
    FAMILY(output_int_register, int32_t, INT32, 48, OUTPUT, "", 0, 0, "", "output_int_register_", 0, ARMTAP_EACH_0_TO_23, "3.4.0", ARMTAP_EACH_24_TO_47, "3.9.0 / 5.3.0", "output register; 0-23 for fieldbus and PLC, 24-47 for RTDE clients") \
    FAMILY(input_double_register, double, DOUBLE, 48, BOTH, "", 0, 0, "", "input_double_register_", 0, ARMTAP_EACH_0_TO_23, "3.4.0", ARMTAP_EACH_24_TO_47, "3.9.0 / 5.3.0", "input register; 0-23 for fieldbus and PLC, 24-47 for RTDE clients") \
    FAMILY(output_double_register, double, DOUBLE, 48, OUTPUT, "", 0, 0, "", "output_double_register_", 0, ARMTAP_EACH_0_TO_23, "3.4.0", ARMTAP_EACH_24_TO_47, "3.9.0 / 5.3.0", "output register; 0-23 for fieldbus and PLC, 24-47 for RTDE clients") \
    SCALAR(primary_timestamp, uint64_t, UINT64, PRIMARY, "", 0, 0, "", "", "the controller's clock in the primary interface of a CB2; its unit is not documented") \
    SCALAR(primary_is_real_robot_connected, uint8_t, BOOL, PRIMARY, "", 0, 0, "", "", "a robot is connected, not a simulated one") \
    SCALAR(primary_is_real_robot_enabled, uint8_t, BOOL, PRIMARY, "", 0, 0, "", "", "the real robot is enabled") \
    SCALAR(primary_is_power_on, uint8_t, BOOL, PRIMARY, "", 0, 0, "", "", "the robot is on: bit 0 of robot_status_bits") \
    SCALAR(primary_is_emergency_stopped, uint8_t, BOOL, PRIMARY, "", 0, 0, "", "", "emergency stop: bit 7 of safety_status_bits") \
    SCALAR(primary_is_protective_stopped, uint8_t, BOOL, PRIMARY, "", 0, 0, "", "", "protective stop, on a CB2 security stop: bit 2 of safety_status_bits") \
    SCALAR(primary_is_program_running, uint8_t, BOOL, PRIMARY, "", 0, 0, "", "", "a program is running: bit 1 of robot_status_bits") \
    SCALAR(primary_is_program_paused, uint8_t, BOOL, PRIMARY, "", 0, 0, "", "", "the program is paused") \
    SCALAR(primary_control_mode, uint8_t, UINT8, PRIMARY, "enum", 0, 0, "", "", "how the joints are controlled") \
    SCALAR(primary_target_speed_fraction_limit, double, DOUBLE, PRIMARY, "ratio", 0, 0, "", "", "limit of the speed slider") \
    VECTOR(primary_joint_micro_temperatures, double, DOUBLE, 6, PRIMARY, "degC", 0, 0, "", "", "temperatures of the joints' controllers; 0 on an e-Series") \
    SCALAR(primary_analog_input0_range, uint8_t, UINT8, PRIMARY, "", 0, 0, "", "", "range of analog input 0 of a CB2") \
    SCALAR(primary_analog_input1_range, uint8_t, UINT8, PRIMARY, "", 0, 0, "", "", "range of analog input 1 of a CB2") \
    SCALAR(primary_analog_input0, double, DOUBLE, PRIMARY, "A or V", 0, 0, "", "", "standard analog input 0; RTDE's guide gives mA for its variable") \
    SCALAR(primary_analog_input1, double, DOUBLE, PRIMARY, "A or V", 0, 0, "", "", "standard analog input 1; RTDE's guide gives mA for its variable") \
    SCALAR(primary_analog_output0_domain, int32_t, INT32, PRIMARY, "", 0, 0, "", "", "range of analog output 0 of a CB2: 0 current, 1 voltage") \
    SCALAR(primary_analog_output1_domain, int32_t, INT32, PRIMARY, "", 0, 0, "", "", "range of analog output 1 of a CB2: 0 current, 1 voltage") \
    SCALAR(primary_analog_output0, double, DOUBLE, PRIMARY, "A or V", 0, 0, "", "", "standard analog output 0; RTDE's guide gives mA for its variable") \
    SCALAR(primary_analog_output1, double, DOUBLE, PRIMARY, "A or V", 0, 0, "", "", "standard analog output 1; RTDE's guide gives mA for its variable") \
    SCALAR(primary_masterboard_temperature, double, DOUBLE, PRIMARY, "degC", 0, 0, "", "", "temperature of the safety control board") \
    SCALAR(primary_io_current, double, DOUBLE, PRIMARY, "A", 0, 0, "", "", "current of the I/O supply; RTDE's guide gives mA for its variable") \
    SCALAR(primary_master_safety_state, uint8_t, UINT8, PRIMARY, "enum", 0, 0, "", "", "state of a CB2's safety system") \
    SCALAR(primary_master_on_off_state, uint8_t, UINT8, PRIMARY, "enum", 0, 0, "", "", "power of a CB2's robot") \
    SCALAR(primary_euromap67_installed, uint8_t, BOOL, PRIMARY, "", 0, 0, "", "", "a Euromap67 or IMMI interface is installed") \
    SCALAR(primary_euromap67_voltage, int32_t, INT32, PRIMARY, "", 0, 0, "", "", "Euromap67 supply voltage of a CB2; its unit is not documented") \
    SCALAR(primary_euromap67_current, int32_t, INT32, PRIMARY, "", 0, 0, "", "", "Euromap67 supply current of a CB2; its unit is not documented") \
    SCALAR(primary_is_reduced_mode, uint8_t, BOOL, PRIMARY, "", 0, 0, "", "", "reduced mode: bit 1 of safety_status_bits") \
    SCALAR(primary_euromap67_24V_current, double, DOUBLE, PRIMARY, "A", 0, 0, "", "", "Euromap67 supply current; RTDE's guide gives mA for its variable") \
    SCALAR(primary_operational_mode_selector_input, uint8_t, UINT8, PRIMARY, "", 0, 0, "", "", "input that selects the operational mode") \
    SCALAR(primary_three_position_enabling_device_input, uint8_t, BOOL, PRIMARY, "", 0, 0, "", "", "input of the three-position enabling device") \
    SCALAR(primary_tool_analog_input0_range, uint8_t, UINT8, PRIMARY, "enum", 0, 0, "", "", "range of tool analog input 0") \
    SCALAR(primary_tool_analog_input1_range, uint8_t, UINT8, PRIMARY, "enum", 0, 0, "", "", "range of tool analog input 1") \
    SCALAR(primary_tool_analog_input0, double, DOUBLE, PRIMARY, "A or V", 0, 0, "", "", "tool analog input 0; RTDE's guide gives mA for its variable") \
    SCALAR(primary_tool_analog_input1, double, DOUBLE, PRIMARY, "A or V", 0, 0, "", "", "tool analog input 1; RTDE's guide gives mA for its variable") \
    SCALAR(primary_tool_voltage, double, DOUBLE, PRIMARY, "V", 0, 0, "", "", "supply voltage at the tool (48 V)") \
    SCALAR(primary_tool_current, double, DOUBLE, PRIMARY, "A", 0, 0, "", "", "tool supply current; RTDE's guide gives mA for its variable") \
    VECTOR(primary_force_mode_force, double, DOUBLE, 6, PRIMARY, "N, Nm", 0, 0, "", "", "force and torque of force mode; 0 outside it, so not actual_TCP_force") \
    SCALAR(primary_control_bits, uint32_t, UINT32, PRIMARY, "bits", 0, 0, "", "", "control bits of a CB2 before 1.8") \
    SCALAR(primary_teach_button, uint8_t, UINT8, PRIMARY, "", 0, 0, "", "", "teach button of a CB2 before 1.8") \
    SCALAR(primary_is_teach_button_pressed, uint8_t, BOOL, PRIMARY, "", 0, 0, "", "", "the teach button is pressed: bit 2 of robot_status_bits") \
    SCALAR(primary_freedrive_button_enabled, uint8_t, BOOL, PRIMARY, "", 0, 0, "", "", "the teach button may start freedrive") \
    SCALAR(primary_io_enabled_freedrive, uint8_t, BOOL, PRIMARY, "", 0, 0, "", "", "an input may start freedrive") \
    SCALAR(primary_tool_communication_enabled, uint8_t, BOOL, PRIMARY, "", 0, 0, "", "", "the tool's serial line is in use") \
    SCALAR(primary_tool_baud_rate, int32_t, INT32, PRIMARY, "Bd", 0, 0, "", "", "the tool's serial line: speed") \
    SCALAR(primary_tool_parity, int32_t, INT32, PRIMARY, "", 0, 0, "", "", "the tool's serial line: parity") \
    SCALAR(primary_tool_stop_bits, int32_t, INT32, PRIMARY, "", 0, 0, "", "", "the tool's serial line: stop bits") \
    SCALAR(primary_tool_rx_idle_chars, double, DOUBLE, PRIMARY, "chars", 0, 0, "", "", "the tool's serial line: silence after what was received") \
    SCALAR(primary_tool_tx_idle_chars, double, DOUBLE, PRIMARY, "chars", 0, 0, "", "", "the tool's serial line: silence after what was sent") \
    VECTOR(primary_kinematics_checksum, uint32_t, UINT32, 6, PRIMARY, "", 0, 0, "", "", "checksums of the calibration") \
    VECTOR(primary_dh_theta, double, DOUBLE, 6, PRIMARY, "rad", 0, 0, "", "", "calibrated Denavit-Hartenberg angles theta") \
    VECTOR(primary_dh_a, double, DOUBLE, 6, PRIMARY, "m", 0, 0, "", "", "calibrated Denavit-Hartenberg lengths a") \
    VECTOR(primary_dh_d, double, DOUBLE, 6, PRIMARY, "m", 0, 0, "", "", "calibrated Denavit-Hartenberg offsets d") \
    VECTOR(primary_dh_alpha, double, DOUBLE, 6, PRIMARY, "rad", 0, 0, "", "", "calibrated Denavit-Hartenberg angles alpha") \
    SCALAR(primary_calibration_status, uint32_t, UINT32, PRIMARY, "", 0, 0, "", "", "state of the calibration") \
    VECTOR(primary_joint_min_limit, double, DOUBLE, 6, PRIMARY, "rad", 0, 0, "", "", "lower limits of the joint positions") \
    VECTOR(primary_joint_max_limit, double, DOUBLE, 6, PRIMARY, "rad", 0, 0, "", "", "upper limits of the joint positions") \
    VECTOR(primary_joint_max_speed, double, DOUBLE, 6, PRIMARY, "rad/s", 0, 0, "", "", "limits of the joint speeds") \
    VECTOR(primary_joint_max_acceleration, double, DOUBLE, 6, PRIMARY, "rad/s^2", 0, 0, "", "", "limits of the joint accelerations") \
    SCALAR(primary_default_joint_speed, double, DOUBLE, PRIMARY, "rad/s", 0, 0, "", "", "joint speed of a move that gives none") \
    SCALAR(primary_default_joint_acceleration, double, DOUBLE, PRIMARY, "rad/s^2", 0, 0, "", "", "joint acceleration of a move that gives none") \
    SCALAR(primary_default_tool_speed, double, DOUBLE, PRIMARY, "m/s", 0, 0, "", "", "tool speed of a move that gives none") \
    SCALAR(primary_default_tool_acceleration, double, DOUBLE, PRIMARY, "m/s^2", 0, 0, "", "", "tool acceleration of a move that gives none") \
    SCALAR(primary_equivalent_radius, double, DOUBLE, PRIMARY, "m", 0, 0, "", "", "equivalent radius") \
    VECTOR(primary_nominal_dh_a, double, DOUBLE, 6, PRIMARY, "m", 0, 0, "", "", "configured Denavit-Hartenberg lengths a") \
    VECTOR(primary_nominal_dh_d, double, DOUBLE, 6, PRIMARY, "m", 0, 0, "", "", "configured Denavit-Hartenberg offsets d") \
    VECTOR(primary_nominal_dh_alpha, double, DOUBLE, 6, PRIMARY, "rad", 0, 0, "", "", "configured Denavit-Hartenberg angles alpha") \
    VECTOR(primary_nominal_dh_theta, double, DOUBLE, 6, PRIMARY, "rad", 0, 0, "", "", "configured Denavit-Hartenberg angles theta") \
    SCALAR(primary_masterboard_version, int32_t, INT32, PRIMARY, "", 0, 0, "", "", "version of the safety control board") \
    SCALAR(primary_controller_box_type, int32_t, INT32, PRIMARY, "", 0, 0, "", "", "type of the control box") \
    SCALAR(primary_robot_type, int32_t, INT32, PRIMARY, "enum", 0, 0, "", "", "model of the robot") \
    SCALAR(primary_robot_sub_type, int32_t, INT32, PRIMARY, "", 0, 0, "", "", "variant of the model") \
    VECTOR(primary_motor_type, int32_t, INT32, 6, PRIMARY, "", 0, 0, "", "", "types of a CB2's motors")
/* clang-format on */

#endif
