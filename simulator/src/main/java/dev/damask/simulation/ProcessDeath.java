package dev.damask.simulation;

/// The process is killed right here. An error, so that nobody on the way takes it for a failure.
final class ProcessDeath extends Error {
  private static final long serialVersionUID = 1L;

  ProcessDeath(CrashPoint moment) {
    super(moment.name(), null, false, false);
  }
}
