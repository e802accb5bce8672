/* What the rows of external_control_layouts.def and those who read them share. */
#ifndef ARMTAP_EXTERNAL_CONTROL_WORDS_H
#define ARMTAP_EXTERNAL_CONTROL_WORDS_H

#define SCRIPT_PORT 50002
#define SCRIPT_REQUEST "request_program\n" /* from the robot */

#define TIMEOUT_LEAST 2      /* ms: a step of the controller; less would wait for ever */
#define TIMEOUT_MOST 3600000 /* ms */
#define NUMBER_MOST 31       /* of modes and commands that newer drivers may add */
#define JOINT_MOST 7000000   /* just over a full turn */
#define SPLINE 51
#define RESULT_LEAST (-1)
#define RESULT_MOST 2

/* Bits of selectors. */
#define ONE(bit) (UINT32_C(1) << (bit))
#define EVERY UINT32_MAX
#define SPLINES ONE(14)
#define MOTIONS (ONE(14) - 1)
#define CIRCLES (ONE(3) | ONE(9) | ONE(10) | ONE(11))
#define NO_CIRCLES (MOTIONS & ~CIRCLES)
#define MIXED_POINTS (ONE(10) | ONE(11))
#define JOINT_POINTS (ONE(0) | ONE(4) | ONE(7) | ONE(8) | ONE(9) | ONE(13) | SPLINES)
#define POSE_POINTS (MOTIONS & ~(JOINT_POINTS | MIXED_POINTS))

/* Words of a POINT that tell more than its selector. */
enum { POINT_PROFILE = 12, POINT_FLAG = 14, POINT_ZEROS = 15, POINT_DURATION = 18, POINT_BLEND = 19 };
#define QUINTIC_TYPE 2
#define ONE_MICRO 1000000
#define LONGEST_MILLI 1000000 /* a duration above, times 1000, would be over 1000 s */

#define MICRO_SCALE 1000000
#define MILLI_SCALE 1000

#endif
