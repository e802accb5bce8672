"""UR's ROS 2 driver: a UrDriver with 32 outputs and 12 inputs, whose checkCalibration waits for KinematicsInfo without limit."""
import common
import rtde_client
import ur_driver

OUTPUTS = rtde_client.OUTPUTS[:8] + ["target_TCP_pose"] + rtde_client.OUTPUTS[8:] + ["payload", "payload_cog", "payload_inertia"]


def come_up(robot, samples=20):
    return ur_driver.come_up(robot, samples, OUTPUTS, rtde_client.INPUTS, kinematics=common.FOR_EVER)
