"""The public names for editors and type checkers: `__init__.py` loads them when they are first used."""

from motiongraph.errors import (
    FormatError as FormatError,
    FormatWarning as FormatWarning,
    MotionError as MotionError,
    Unreachable as Unreachable,
)
from motiongraph.formats.collection import load_all as load_all
from motiongraph.formats.load import load as load, load_clips as load_clips
from motiongraph.formats.save import save as save
from motiongraph.graph.motion_graph import MotionGraph as MotionGraph
from motiongraph.metric.distance import DistanceMatrix as DistanceMatrix, distance_matrix as distance_matrix
from motiongraph.metric.metric import Metric as Metric
from motiongraph.metric.search import find_minima as find_minima
from motiongraph.model.bone_map import BoneMap as BoneMap, bone_map as bone_map
from motiongraph.model.clip import Clip as Clip
from motiongraph.model.labels import Labels as Labels
from motiongraph.model.skeleton import Skeleton as Skeleton
from motiongraph.progress import Cancelled as Cancelled
from motiongraph.synthesis.bridge import bridge as bridge, bridged as bridged
from motiongraph.synthesis.live import Live as Live
from motiongraph.synthesis.crowd import Crowd as Crowd
from motiongraph.synthesis.live_character import LiveCharacter as LiveCharacter
from motiongraph.synthesis.quality import quality as quality
from motiongraph.synthesis.root import rooted as rooted
from motiongraph.synthesis.synthesize import synthesize as synthesize
from motiongraph.walks.auto_labels import choose_clips as choose_clips, propose_labels as propose_labels
from motiongraph.walks.connect import connect as connect, connection_table as connection_table
from motiongraph.walks.curve import Curve as Curve
from motiongraph.walks.follow_path import follow_path as follow_path
from motiongraph.walks.random_walk import greedy_walk as greedy_walk
from motiongraph.walks.curve import trace as trace
from motiongraph.walks.path_goal import Goal as Goal, Weights as Weights
from motiongraph.walks.path_goal import Effort as Effort
from motiongraph.walks.random_walk import random_walk as random_walk
from motiongraph.walks.reach import reach as reach
from motiongraph.walks.search import search as search
from motiongraph.walks.sequential import sequential_walk as sequential_walk
from motiongraph.walks.walk import Walk as Walk

__version__: str
