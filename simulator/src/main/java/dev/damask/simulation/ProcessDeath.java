package dev.damask.simulation;

/// The process is killed here. It is an error, so that no code treats it as a failure.
final class ProcessDeath extends Error {
  private static final long serialVersionUID = 1L;

  ProcessDeath(CrashPoint moment) {
    super(moment.name(), null, false, false);
  }
}
