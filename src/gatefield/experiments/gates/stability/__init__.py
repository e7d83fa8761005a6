"""Is localization stable: against pushes, beside a linear pathway, and under a teacher?"""

from gatefield.experiments.gates.stability import figure, verdicts
from gatefield.experiments.gates.stability.settings import Settings
from gatefield.experiments.gates.stability.simulate import simulate
from gatefield.lab.experiment import Experiment

experiment = Experiment(
    name="stability",
    title="Is localization stable: against pushes, beside a linear pathway, and under a teacher?",
    source="note 002, section 6, which has headings only",
    text="Three questions to localized fields. Pushes: the end states of single neurons are moved by random vectors, or "
    "towards the same field at the far side of the ring, and trained on; beside it stand the eigenvalues of the flow's "
    "Jacobian, which are all negative where the field is stable. Linear pathway: the output gets a term <v, x>. On "
    "symmetric data v can only take over the odd half of the ReLU, h/2 of h/2 + |h|/2: it goes to -w/2, after which the "
    "field follows dw/dt = f(w)/2 - (S0 + S1) w/8, with drift f and covariances S0, S1. As f does not depend on the "
    "length of w, the field must come out the same but twice as long, and the loss must fall twice as far. A pathway "
    "frozen at a random v shifts the field instead: w + v is what a free neuron would learn behind the gate of w, which is no longer that of "
    "one site once v is about as long as the field. Teacher: the labels come from a committee with localized, "
    "oscillating or random fields, and students of the same or a larger size are to find them. Localization is measured "
    "by the inverse participation ratio (IPR). Gain 0.01 is the control: there fields do not localize, and are still on "
    "their slow way to the flat field, so that some eigenvalues are positive and pushes are not undone.",
    Parameters=Settings,
    presets={
        "full": {},
        "quick": {
            "batch_size": 200,
            "steps": 1_500,
            "seeds": 4,
            "sizes": (0.25, 0.5, 1.0, 2.0, 4.0),
            "samples": 40_000,
            "student_batch": 100,
            "student_steps": 1_200,
        },
    },
    durations={"quick": "1 min", "full": "90 min"},
    simulate=simulate,
    verdicts=verdicts.verdicts,
    figure=figure.draw,
)
