"""Does a consumer begin again if its leader knows no leader epochs, rather than read on in another history?

Bounds: as resumption, with two leader epochs, and one leader-epoch file that is lost. With a third leader epoch
    (`--set max_leader_epoch=2`) the next leader has only its own epoch, and its answer hides a cut.
Expected: HOLDS
"""

from kafkacheck.model.resumption import environment, family
from kafkacheck.spec.resumption import properties

MODEL = family.RESUMPTION.model(
    bounds={"unclean_elections": 1, "max_leader_epoch": 1, "lost_files": 1},
    actions=[*family.ACTIONS, environment.unclean_leader_is_elected, environment.epoch_file_is_lost],
    always=family.SAFETY,
    sometimes=[properties.position_is_cut],
    leads_to=family.PROGRESS,
    weakly_fair=family.FAIR,
)
