"""Everything a person can ask of the program, as data. Menus, keys, buttons and tests issue the same commands.

What a command does is registered with `@apply.register` beside the state it changes; `update.update` carries out
what was issued, in order. A command that cannot be carried out raises a MotionError, which becomes a message.
"""

from motiongraph.app.commands.base import apply, command  # noqa: F401
from motiongraph.app.commands.camera import *  # noqa: F403
from motiongraph.app.commands.graph import *  # noqa: F403
from motiongraph.app.commands.library import *  # noqa: F403
from motiongraph.app.commands.matrix import *  # noqa: F403
from motiongraph.app.commands.path import *  # noqa: F403
from motiongraph.app.commands.playback import *  # noqa: F403
from motiongraph.app.commands.scene import *  # noqa: F403
from motiongraph.app.commands.session import *  # noqa: F403
from motiongraph.app.commands.walk import *  # noqa: F403
from motiongraph.app.commands.why import *  # noqa: F403
from motiongraph.app.commands.window import *  # noqa: F403
