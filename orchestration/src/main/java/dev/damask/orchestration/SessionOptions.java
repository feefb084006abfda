package dev.damask.orchestration;

import dev.damask.cases.EngineOptions;

/// How sessions run. Start from [#defaults()].
///
/// @param engine what the engine underneath is opened with; its trace is switched on, because the
///   log of a session is a part of it
/// @param reader answers the reads of rules
/// @param executor performs the executions of rules
/// @param egress where API calls may go
public record SessionOptions(
    EngineOptions engine, StateReader reader, Executor executor, Egress egress) {
  public static SessionOptions defaults() {
    return new SessionOptions(
        EngineOptions.defaults(), StateReader.none(), Executor.none(), Egress.publicOnly());
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

  public SessionOptions withEgress(Egress value) {
    return new SessionOptions(engine, reader, executor, value);
  }
}
