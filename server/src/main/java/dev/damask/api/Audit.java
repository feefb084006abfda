package dev.damask.api;

import java.time.Instant;

/// Receives what callers have done and tried.
@FunctionalInterface
public interface Audit {
  /// One entry.
  ///
  /// @param at when the request was answered
  /// @param caller the name of the token; empty if there was none
  /// @param action the method and the path of the route, or the path of an unknown one
  /// @param subject the case or the workflow that the path names; empty if it names none
  /// @param outcome the HTTP status and the type of a problem
  record Entry(Instant at, String caller, String action, String subject, String outcome) {}

  /// Writes an entry.
  void write(Entry entry);
}
