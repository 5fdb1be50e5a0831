"""What `formats.guess` sees in poses, joint by joint; imports nothing of ours."""

import math


def looked_at(positions, feet, head, shortest):
    """(3,) the mean direction from feet to centre and head, and (6, F) the lowest joint along x, y, z, −x, −y, −z."""
    way, lowest = [0.0, 0.0, 0.0], [[], [], [], [], [], []]
    for pose in positions:
        middle = [sum(joint[a] for joint in pose) / len(pose) for a in range(3)]
        ground = [sum(pose[foot][a] for foot in feet) / len(feet) for a in range(3)]
        for target, weight in [(middle, 1.0)] + ([(pose[head], 0.5)] if head >= 0 else []):
            apart = [target[a] - ground[a] for a in range(3)]
            length = math.sqrt(sum(x * x for x in apart))
            if length > shortest:
                for a in range(3):
                    way[a] += weight * apart[a] / length / 1.5 / len(positions)
        for a in range(3):
            lowest[a].append(min(joint[a] for joint in pose))
            lowest[a + 3].append(-max(joint[a] for joint in pose))
    return way, lowest
