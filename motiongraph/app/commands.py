"""All commands, by name: `from motiongraph.app import commands as do`, then `state.issue(do.Play())`."""

# ruff: noqa: F401, I001 - packed lines, for others to import
# fmt: off
from motiongraph.app.graph.bridge_graph import BridgeGraph
from motiongraph.app.graph.build_graph import BuildGraph, DropGraph, LoadBones, SaveBones, SetBone, SetGraphOption
from motiongraph.app.graph.graph_files import ExportGraph, OpenGraph, SaveGraph
from motiongraph.app.graph.graph_view import (
    FilterGraph, IsolateRows, PointAtTransition, PreviewTransition, ShowLanes, ShowOverview,
)
from motiongraph.app.graph.graph_state import FindCoverage, FindTradeOff, SetThreshold
from motiongraph.app.command import Redo, Undo
from motiongraph.app.library.clips import (
    AcceptLabels, DismissLabels, MirrorClip, ProposeLabels, RemoveAll, RemoveClip, RemoveLabel, SaveClip, SaveLabels,
    SetLabels, Trim, UseClip,
)
from motiongraph.app.library.contacts import FindContacts, SetContacts
from motiongraph.app.library.many import (
    ChooseClip, ChooseClips, LabelClips, RemoveClips, TickBest, TickClip, TrimClips, UseClips,
)
from motiongraph.app.library.open_files import FetchCmu, GiveSkeleton, OpenPaths, OpenSamples
from motiongraph.app.library.reading import ReadAgain
from motiongraph.app.live.crowd import ClearCrowd, SetCrowd, StartCrowd, StopCrowd
from motiongraph.app.live.drive import Steer
from motiongraph.app.live.lead import (
    AllowMore,
    Lead,
    PrepareGraph,
    Replay,
    ResetWalk,
    SetLeadLabel,
    SetLeadTurning,
    WalkPath,
)
from motiongraph.app.matrix.cell import ExportMatrix, LoopCell, PointAtCell, PreviewCell
from motiongraph.app.matrix.comparison import (
    ChooseMatrix, Compare, SetMatrixOption, SetMatrixThreshold, SetMetric, SetMinima, SwapMatrix, WatchMatrix,
)
from motiongraph.app.matrix.metric_choice import LoadMesh, LoadWeights, SetPartWeight, SetShare
from motiongraph.app.path.draw_path import (
    AddPoint, BeginStroke, ChoosePoint, ClearPath, ClosePath, EndStroke, ExtendStroke, LoadPath, MovePoint,
    PaintPath, PathPreset, PlantGoal, PointAt, RemovePoint, ReversePath, SavePath, SetBrush, SetCurve, SetPath,
    SetPresetSize, SetTool, SmoothPath,
)
from motiongraph.app.path.verdict import ShowTightestTurn
from motiongraph.app.playback import (
    Jump, Pause, Play, Seek, SelectClip, SelectNext, SetLoop, SetReverse, SetRoot, SetSpeed, Step, TakeTrack,
    TogglePlay,
)
from motiongraph.app.project.session import (
    CancelQuit, ForgetUnsaved, NewProject, OpenProject, Quit, ReopenUnsaved, SaveProject,
)
from motiongraph.app.scene.camera_moves import (
    Fly, LetBelowFloor, Look, LookFrom, Orbit, Pan, ResetCamera, SetCamera, SetFollow, Zoom,
)
from motiongraph.app.scene.layers import (
    ClearGhosts, MoveCharacter, PinGhost, PlaceCharacter, SetLayer, ShiftGhost, Split, ToggleLayer, UnpinGhost,
)
from motiongraph.app.scene.props import AddProp, OpenProp, RemoveProp, SetProp, SizeProp
from motiongraph.app.walk.edit_transitions import SetBlendLength, SlideTransition
from motiongraph.app.walk.measure import MeasureQuality
from motiongraph.app.walk.results import ClearResults, RenameResult, ReplayResult, SaveLog, SeekStep
from motiongraph.app.walk.walk_options import MakeWalk, NewSeed, SetSeed, SetWalk, SetWalkOption, TakeOptions
from motiongraph.app.walk.why import AskWhy, LeaveAlternative, PreviewAlternative, ShowTransition, WatchWhy
from motiongraph.app.window import (
    CancelJob, DismissHint, DismissMessages, MaximisePanel, PullOutPanel, RecordVideo, ResetLayout, Screenshot,
    SetSetting, ShowHint, ShowPanel, ToggleFullScreen, TogglePanels,
)

# fmt: on
COMMANDS: tuple[type, ...] = tuple(found for _, found in sorted(globals().items()) if isinstance(found, type))
