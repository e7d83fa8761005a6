"""Is localization stable: against pushes, beside a linear pathway, and under a teacher?"""

from gatefield.experiments.gates.stability.figure import draw
from gatefield.experiments.gates.stability.settings import Settings
from gatefield.experiments.gates.stability.simulate import simulate
from gatefield.experiments.gates.stability.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="stability",
    title="Is localization stable: against pushes, beside a linear pathway, and under a teacher?",
    source="note 002, section 6, which has headings only",
    text="Three questions to localized fields. Pushes: the end states of single neurons are moved by random vectors, or "
    "towards the same field at the far side of the ring, and trained on; beside it stand the eigenvalues of the flow's "
    "Jacobian. Linear pathway: the output gets a term <v, x>. On symmetric data v can only take over the odd half of the ReLU: "
    "it goes to -w/2, and the field should come out the same but twice as long. A pathway frozen at a random v shifts the "
    "field instead. Teacher: the labels come from a committee with localized, oscillating or random fields, and students are "
    "to find them. Gain 0.01 is the control: there fields do not localize.",
    Parameters=Settings,
    presets={
        "full": {},
        "quick": {
            "batch_size": 200,
            "steps": 1_500,
            "seeds": 4,
            "sizes": (0.25, 0.5, 1.0, 2.0, 4.0),
            "samples": 40_000,
            "lines": 2_048,
            "student_batch": 100,
            "student_steps": 1_200,
        },
    },
    durations={"quick": "1 min", "full": "90 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=draw,
)
