"""Does each application get the records in order if it seeks, pauses and resumes, and is told of the end?

Bounds: two consumers, three records, one handover; each of these once.
Expected: HOLDS
"""

from kafkacheck.model.delivery import environment, family
from kafkacheck.spec.delivery import properties

MODEL = family.DELIVERY.model(
    bounds={"log_size": 3, "moves": 1, "max_generation": 2, "seeks": 1, "pauses": 1, "resumes": 1, "ends": 1},
    actions=[
        *family.ACTIONS,
        environment.application_seeks,
        environment.application_pauses,
        environment.application_resumes,
        environment.application_sees_end,
    ],
    always=family.SAFETY,
    sometimes=[properties.seek_goes_back, properties.seek_passes_over],
)
