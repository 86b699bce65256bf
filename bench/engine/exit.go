package engine

// ExitStopped is what a trial's process exits with when it was asked to stop
// and has saved its state, or when another process is running the trial: it is
// neither done nor failed, and starting it again goes on. The number is
// EX_TEMPFAIL of sysexits.h.
const ExitStopped = 75
