package dev.damask.orchestration;

import dev.damask.cases.EngineOptions;
import dev.damask.effect.EgressGuard;
import java.util.List;

/// How sessions run. Start from [#defaults()].
///
/// @param engine what the engine underneath is opened with; its trace is switched on, because the
///   log of a session is a part of it
/// @param reader answers the reads of rules
/// @param executor performs the executions of rules
/// @param egress where API calls may go; by default to public addresses only
public record SessionOptions(
    EngineOptions engine, StateReader reader, Executor executor, EgressGuard egress) {
  public static SessionOptions defaults() {
    return new SessionOptions(
        EngineOptions.defaults(),
        StateReader.none(),
        Executor.none(),
        EgressGuard.publicAnd(List.of()));
  }

  public SessionOptions withEngine(EngineOptions value) {
    return new SessionOptions(value, reader, executor, egress);
  }

  public SessionOptions withReader(StateReader value) {
    return new SessionOptions(engine, value, executor, egress);
  }

  public SessionOptions withExecutor(Executor value) {
    return new SessionOptions(engine, reader, value, egress);
  }

  public SessionOptions withEgress(EgressGuard value) {
    return new SessionOptions(engine, reader, executor, value);
  }
}
