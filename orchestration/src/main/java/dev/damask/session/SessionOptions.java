package dev.damask.session;

import dev.damask.cases.EngineOptions;
import dev.damask.http.EgressGuard;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/// How sessions run. Start from [#defaults()].
///
/// @param engine what the engine underneath is opened with; at least its minimal trace is switched
///   on, because the log of a session is a part of it
/// @param reader answers the reads of rules
/// @param executor performs the executions of rules
/// @param window how many processes of one session may be evaluated at once; 0 for no limit. Steps
///   that open a join are evaluated beyond it
/// @param egress where API calls may go; by default to public addresses only
/// @param secrets knows the secrets of sessions that were started before a restart; by default none
public record SessionOptions(
    EngineOptions engine,
    StateSource reader,
    Executor executor,
    EgressGuard egress,
    int window,
    Function<SessionKey, Map<String, String>> secrets) {
  /// Returns the default options: no reads, no executions, API calls to public addresses only.
  public static SessionOptions defaults() {
    return new SessionOptions(
        EngineOptions.defaults(),
        StateSource.none(),
        Executor.none(),
        EgressGuard.publicAnd(List.of()),
        0,
        _ -> Map.of());
  }

  /// Returns the options with these options of the engine.
  public SessionOptions withEngine(EngineOptions value) {
    return new SessionOptions(value, reader, executor, egress, window, secrets);
  }

  /// Returns the options with a reader of external state.
  public SessionOptions withReader(StateSource value) {
    return new SessionOptions(engine, value, executor, egress, window, secrets);
  }

  /// Returns the options with an executor.
  public SessionOptions withExecutor(Executor value) {
    return new SessionOptions(engine, reader, value, egress, window, secrets);
  }

  /// Returns the options with a guard of the hosts that API calls may connect to.
  public SessionOptions withEgress(EgressGuard value) {
    return new SessionOptions(engine, reader, executor, value, window, secrets);
  }

  /// Returns the options with a limit of concurrent evaluations per session; 0 for no limit. Throws
  /// `IllegalArgumentException` if the value is negative.
  public SessionOptions withWindow(int value) {
    if (value < 0) {
      throw new IllegalArgumentException("the window must not be negative, got " + value);
    }
    return new SessionOptions(engine, reader, executor, egress, value, secrets);
  }

  /// Sets the function that returns the secrets of a session that resumes after a restart. It is
  /// called when a process needs secrets, and every few seconds while one is missing. It may block,
  /// and may return further secrets.
  public SessionOptions withSecrets(Function<SessionKey, Map<String, String>> value) {
    return new SessionOptions(engine, reader, executor, egress, window, value);
  }
}
