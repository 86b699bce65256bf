package runs

// StoppedPhase is the last phase of a trial that was stopped as hopeless.
const StoppedPhase = "stopped"
