"""Arms of UR's structure, by the matrices of their links: where the tool is for given angles of the joints."""
import math

# Denavit-Hartenberg parameters d1, a2, a3, d4, d5, d6 as UR publishes them, m.
UR5 = (0.089159, -0.425, -0.39225, 0.10915, 0.09465, 0.0823)
UR10 = (0.1273, -0.612, -0.5723, 0.163941, 0.1157, 0.0922)


def product(a, b):
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


def turn(vector):
    """The matrix of a rotation vector (Rodrigues)."""
    angle = math.hypot(*vector)
    x, y, z = [one / angle for one in vector] if angle else (0, 0, 1)
    c, s = math.cos(angle), math.sin(angle)
    return [[c + x * x * (1 - c), x * y * (1 - c) - z * s, x * z * (1 - c) + y * s],
            [y * x * (1 - c) + z * s, c + y * y * (1 - c), y * z * (1 - c) - x * s],
            [z * x * (1 - c) - y * s, z * y * (1 - c) + x * s, c + z * z * (1 - c)]]


def pose_of(model, joints, offset=(0,) * 6):
    """Position and rotation vector of the tool, as the product of the six links' matrices and the tool's offset."""
    d1, a2, a3, d4, d5, d6 = model
    links = [(0, d1, math.pi / 2), (a2, 0, 0), (a3, 0, 0), (0, d4, math.pi / 2), (0, d5, -math.pi / 2), (0, d6, 0)]
    total = [[float(i == k) for k in range(4)] for i in range(4)]
    for angle, (a, d, twist) in zip(joints, links):
        c, s, ct, st = math.cos(angle), math.sin(angle), math.cos(twist), math.sin(twist)
        total = product(total, [[c, -s * ct, s * st, a * c], [s, c * ct, -c * st, a * s], [0, st, ct, d], [0, 0, 0, 1]])
    total = product(total, [row + [place] for row, place in zip(turn(offset[3:]), offset)] + [[0, 0, 0, 1]])
    axis = [total[2][1] - total[1][2], total[0][2] - total[2][0], total[1][0] - total[0][1]]
    length = math.hypot(*axis)
    angle = math.atan2(length, total[0][0] + total[1][1] + total[2][2] - 1)
    return [total[i][3] for i in range(3)] + [angle * one / length for one in axis]


def joints_at(time):
    """All six move."""
    return [home + 0.5 * math.sin((1 + 0.2 * i) * time + i) for i, home in
            enumerate((0.4, -1.3, 1.7, -1.9, -1.5, 0.3))]
