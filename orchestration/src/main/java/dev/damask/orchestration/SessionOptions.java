package dev.damask.orchestration;

import dev.damask.cases.EngineOptions;
import dev.damask.effect.EgressGuard;
import java.util.List;

/// How sessions run. Start from [#defaults()].
///
/// @param engine what the engine underneath is opened with; at least its minimal trace is switched
///   on, because the log of a session is a part of it
/// @param reader answers the reads of rules
/// @param executor performs the executions of rules
/// @param window how many processes of one session may be evaluated at once; 0 for no limit. Steps
///   that open a join are evaluated beyond it
/// @param egress where API calls may go; by default to public addresses only
public record SessionOptions(
    EngineOptions engine, StateReader reader, Executor executor, EgressGuard egress, int window) {
  public static SessionOptions defaults() {
    return new SessionOptions(
        EngineOptions.defaults(),
        StateReader.none(),
        Executor.none(),
        EgressGuard.publicAnd(List.of()),
        0);
  }

  public SessionOptions withEngine(EngineOptions value) {
    return new SessionOptions(value, reader, executor, egress, window);
  }

  public SessionOptions withReader(StateReader value) {
    return new SessionOptions(engine, value, executor, egress, window);
  }

  public SessionOptions withExecutor(Executor value) {
    return new SessionOptions(engine, reader, value, egress, window);
  }

  public SessionOptions withEgress(EgressGuard value) {
    return new SessionOptions(engine, reader, executor, value, window);
  }

  public SessionOptions withWindow(int value) {
    if (value < 0) {
      throw new IllegalArgumentException("a window is not negative, got " + value);
    }
    return new SessionOptions(engine, reader, executor, egress, value);
  }
}
