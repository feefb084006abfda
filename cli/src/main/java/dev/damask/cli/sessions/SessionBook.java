package dev.damask.cli.sessions;

import dev.damask.cli.command.CaseHost;
import dev.damask.registry.RegistryEntry;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What the commands on orchestrations need of a store or a server. Objects have the fields that
/// `--json` prints. Methods throw [dev.damask.cli.command.Refusal] if a session does not exist or
/// belongs to another owner.
interface SessionBook extends AutoCloseable {
  /// Opens the sessions of a host for an owner.
  static SessionBook open(CaseHost host, String owner) {
    return host.open(
        store -> StoreSessions.open(store, owner), server -> new ServerSessions(server, owner));
  }

  /// Like [#open], but creates the store if it does not exist.
  static SessionBook openOrMake(CaseHost host, String owner) {
    return host.openOrMake(
        store -> StoreSessions.open(store, owner), server -> new ServerSessions(server, owner));
  }

  List<Map<String, @Nullable Object>> sessions(int most);

  /// Lists processes.
  ///
  /// @param session only of this session; 0 for all
  /// @param parent only of this process; 0 for all
  List<Map<String, @Nullable Object>> processes(long session, long parent, int most);

  List<Map<String, @Nullable Object>> targets(int most);

  Map<String, @Nullable Object> view(long session);

  /// Returns the log as JSON lines.
  ///
  /// @param step only this step; null for all
  List<String> log(long session, @Nullable String step);

  /// Ends a session and returns how many processes it had.
  long kill(long session);

  void pause(long session);

  void resume(long session);

  /// Who wakes what.
  ///
  /// @param caller who wakes; the owner of the session, or another one that the session allows
  /// @param step the step; null to wake one process
  /// @param process the process; 0 to wake a step
  record Wake(
      String caller, @Nullable String step, long process, Map<String, @Nullable Object> payload) {}

  /// Wakes processes and returns how many were woken.
  long wake(long session, Wake wake);

  /// A stored graph or rule.
  record Entry(String key, long version, String hash, String owner) {}

  List<Entry> entries(RegistryEntry.Kind kind);

  Entry putGraph(String text);

  Entry putRule(String key, String text);

  @Override
  void close();
}
