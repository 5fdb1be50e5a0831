"""The ways to move, as numbers: timing of stance and swing, roll of the foot, bend of the knee, trunk and arms.

Walking follows the textbook figures (Perry, Gait Analysis; Winter, Biomechanics): stance 60 % of the cycle, foot
flat by about 8 %, heel off at 30 to 35 %, foot some 60° to the floor at toe off, knee 5° at heel strike, 18° in
loading, 60° in swing; arms ±20°. Running follows Novacheck, "The biomechanics of running" (1998): stance below
40 %, a flight phase, knee past 90° in swing, trunk leant forward, elbows at a right angle.
"""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Gait:
    """Lengths in metres, times in seconds, angles in degrees; foot pitch is positive with the toes up.

    `knee` is the bend of the supporting knee at fractions of stance, `roll` the fractions of stance at which the
    foot lies flat and the heel leaves the floor.
    """

    duration: float = 0.53  # of a step, heel strike to opposite heel strike
    length: float = 0.72  # of a step
    duty: float = 0.585  # stance over cycle
    width: float = 0.10  # between the ankles
    toe_out: float = 6.0
    strike_pitch: float = 18.0
    strike_rate: float = -140.0  # degrees a second, of the pitch at contact
    off_pitch: float = -50.0
    off_rate: float = -180.0
    toe_pitch: float = -25.0  # of the toes as their tip leaves the floor
    toe_rate: float = -400.0
    roll: tuple[float, float] = (0.16, 0.55)
    glide: tuple[float, float] = (2.2, 2.3)  # beta curve of the way from print to print; (3, 3) is an even ease
    lift: float = 0.02  # of the ball in swing, on top of the line from print to print
    lift_peak: float = 0.36  # fraction of swing at which it is highest
    lift_sharp: float = 3.0  # how suddenly it starts and ends; see curves.bump
    hover: float = 0.015  # height kept late in swing, so that the foot comes down rather than skims
    kick: float = -25.0  # extra plantar pitch in swing
    clearance: float = 0.012
    knee: tuple[tuple[float, float], ...] = ((0.0, 7.0), (0.22, 19.0), (0.62, 8.0), (0.83, 12.0), (1.0, 40.0))
    straightest: float = 11.0  # the least bend of any knee
    spring: float = 0.0  # 1: the height is that of running, lowest in mid stance and highest in flight
    poise: float = 0.036  # the pelvis is carried ahead of the pendulum
    rotation: float = 6.5  # pelvic rotation, degrees for each metre between the feet
    pelvis_tilt: float = 3.0
    drop: float = 4.0  # of the unsupported side of the pelvis
    lean: float = 3.0  # of the trunk
    counter: float = 1.0  # shoulder rotation against the pelvis, as a multiple of it
    swing: float = 27.0  # of the arm, degrees for each metre between the feet
    arm: float = -2.0  # middle of the swing, forward positive
    abduction: float = 7.0
    elbow: float = 22.0
    elbow_swing: float = 0.45  # elbow degrees for each degree of the shoulder
    twist: float = 12.0  # inward turn of the upper arm
    curl: float = 18.0  # of the fingers


STAND = Gait(
    kick=0.0,
    straightest=5.0,
    width=0.18,
    knee=((0.0, 7.0), (1.0, 7.0)),
    poise=0.0,
    arm=0.0,
    elbow=14.0,
    swing=0.0,
    lean=1.0,
)
WALK = Gait()
START = replace(
    WALK, duration=0.6, length=0.5, off_pitch=-36.0, off_rate=-120.0, toe_pitch=-14.0, toe_rate=-180.0, kick=-10.0
)
STOP = replace(WALK, duration=0.58, length=0.5, width=0.18, strike_pitch=13.0)
CLOSE = replace(
    STAND,
    duration=0.62,
    length=0.0,
    strike_pitch=0.0,
    strike_rate=0.0,
    off_pitch=-42.0,
    off_rate=-160.0,
    toe_pitch=-12.0,
    toe_rate=-150.0,
    roll=(0.1, 0.6),
    lift=0.04,
)
RUN = Gait(
    duration=0.364,
    length=1.02,
    duty=0.35,
    width=0.06,
    toe_out=4.0,
    strike_pitch=9.0,
    strike_rate=-120.0,
    off_pitch=-60.0,
    off_rate=-380.0,
    toe_pitch=-24.0,
    toe_rate=-500.0,
    roll=(0.2, 0.45),
    glide=(3.0, 2.2),
    lift=0.26,
    lift_peak=0.36,
    kick=22.0,
    clearance=0.05,
    knee=((0.0, 22.0), (0.4, 46.0), (1.0, 22.0)),
    spring=1.0,
    poise=0.15,
    straightest=13.0,
    rotation=7.0,
    pelvis_tilt=7.0,
    drop=3.0,
    lean=11.0,
    counter=1.4,
    swing=34.0,
    arm=-16.0,
    abduction=14.0,
    elbow=95.0,
    elbow_swing=0.25,
    twist=5.0,
    curl=42.0,
)
JOG = replace(
    RUN,
    duration=0.385,
    length=0.74,
    duty=0.4,
    off_pitch=-56.0,
    off_rate=-340.0,
    lift=0.16,
    kick=18.0,
    lean=7.0,
    knee=((0.0, 20.0), (0.4, 40.0), (1.0, 22.0)),
)
SNEAK = Gait(
    duration=0.8,
    length=0.48,
    duty=0.62,
    width=0.13,
    toe_out=10.0,
    strike_pitch=-14.0,
    strike_rate=0.0,
    off_pitch=-45.0,
    off_rate=-110.0,
    toe_pitch=-10.0,
    toe_rate=-100.0,
    roll=(0.2, 0.62),
    lift=0.13,
    lift_peak=0.45,
    kick=0.0,
    clearance=0.04,
    knee=((0.0, 48.0), (0.5, 52.0), (1.0, 62.0)),
    rotation=9.0,
    pelvis_tilt=12.0,
    drop=3.0,
    lean=26.0,
    counter=0.6,
    swing=20.0,
    arm=18.0,
    abduction=16.0,
    elbow=68.0,
    elbow_swing=0.2,
    twist=4.0,
    curl=30.0,
)
SHUFFLE = replace(
    STAND,
    duration=0.56,
    length=0.0,
    duty=0.6,
    strike_pitch=-4.0,
    strike_rate=0.0,
    off_pitch=-26.0,
    off_rate=-70.0,
    toe_pitch=-6.0,
    toe_rate=-60.0,
    roll=(0.18, 0.7),
    lift=0.04,
    lift_peak=0.5,
    lift_sharp=2.2,
    knee=((0.0, 14.0), (0.5, 14.0), (1.0, 18.0)),
    straightest=9.0,
    drop=2.5,
    elbow=20.0,
)
JUMP = replace(
    SHUFFLE,
    off_pitch=-58.0,
    off_rate=-480.0,
    toe_pitch=-24.0,
    toe_rate=-520.0,
    strike_pitch=-35.0,
    straightest=10.0,
    lift=0.2,
    lift_peak=0.53,
    lift_sharp=2.1,
)
