#!/usr/bin/env python3
"""run.py CLIENT HOST [ROLE=PORT...]: one of these clients against a robot; prints what it read as JSON. Status 1: it did not come
up, and why."""
import json
import sys

import common
from attempt import attempt

CLIENTS = ("record", "rtde_client", "ur_driver", "ros2_driver", "example_wrapper", "sdu_receive", "sdu_io", "sdu_control", "urx",
           "ur_modern_driver", "matlab")


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in CLIENTS:
        sys.exit("run.py %s HOST [ROLE=PORT...]" % "|".join(CLIENTS))
    ports = {role: int(port) for role, port in (one.split("=") for one in sys.argv[3:])}
    found, why = attempt(sys.argv[1], common.Robot(sys.argv[2], **ports))
    if why is not None:
        sys.exit("%s did not come up: %s" % (sys.argv[1], why))
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
