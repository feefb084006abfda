package dev.damask.cli;

import dev.damask.orchestration.Notice;
import dev.damask.orchestration.Orchestration;
import dev.damask.orchestration.SessionKey;
import dev.damask.orchestration.SessionOptions;
import dev.damask.orchestration.SessionStart;
import dev.damask.orchestration.SessionView;
import dev.damask.orchestration.Sessions;
import dev.damask.store.CaseStatus;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Runs one session of a graph document, in memory or on a store, until it ends or waits for
/// something that takes longer.
///
/// @param store null for memory
record GraphRun(
    Streams streams,
    Path graph,
    @Nullable Path rules,
    String entry,
    Map<String, ? extends @Nullable Object> payload,
    @Nullable Path store,
    String owner,
    SessionOptions options) {
  /// Calls have limits of their own, so this is only reached by loops that never end.
  private static final Duration PATIENCE = Duration.ofDays(1);

  int run(boolean json) {
    Orchestration orchestration = GraphFiles.read(graph, rules);
    List<Notice> errors =
        orchestration.check(entry, payload.keySet()).stream().filter(Notice::isError).toList();
    if (!errors.isEmpty()) {
      String more = errors.size() == 1 ? "" : " (and " + (errors.size() - 1) + " more)";
      throw new Refusal(graph + ":" + errors.getFirst() + more);
    }
    try (Sessions sessions =
        store == null ? Sessions.open(options) : Sessions.open(options, store)) {
      orchestration.rules().forEach((key, text) -> sessions.registry().putRule(owner, key, text));
      String id = sessions.registry().putGraph(owner, orchestration.resolved()).key();
      SessionKey key = sessions.start(SessionStart.of(owner, id, entry, payload));
      SessionView view = sessions.settled(key, PATIENCE).orElseGet(() -> sessions.view(key));
      SessionReport report = new SessionReport(view);
      streams.out().print(json ? report.json() + System.lineSeparator() : report.text());
      return exit(view.status());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new Refusal("interrupted");
    }
  }

  static int exit(CaseStatus status) {
    return switch (status) {
      case COMPLETED -> Exit.OK;
      case FAILED, QUARANTINED -> Exit.FAILED;
      case CANCELLED -> Exit.CANCELLED;
      case RUNNING, WAITING, DEADLOCKED -> Exit.WAITING;
    };
  }
}
