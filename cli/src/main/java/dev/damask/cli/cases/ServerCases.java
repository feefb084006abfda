package dev.damask.cli.cases;

import dev.damask.cli.command.Fields;
import dev.damask.cli.command.Refusal;
import dev.damask.cli.command.ServerClient;
import dev.damask.cli.command.ServerProblem;
import dev.damask.cli.command.StoreCommand;
import dev.damask.store.CaseQuery;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// What all commands on the cases of a server share.
final class ServerCases {
  private static final long POLL_MILLIS = 100;

  private ServerCases() {}

  /// Returns the path of a case.
  static String path(String caseId) {
    return "/v1/cases/" + ServerClient.segment(caseId);
  }

  /// Throws [Refusal] if a document is named: the server has the documents of its cases.
  static void requireNone(ServerClient server, @Nullable Path document) {
    if (document != null) {
      throw new Refusal(
          "--document cannot be used with %s; register the document there"
              .formatted(server.isHeld() ? "a store that a process holds" : "--server"));
    }
  }

  /// Runs a request about a case. Throws [Refusal] with similar ids if it does not exist.
  static <T> T known(ServerClient server, String caseId, Supplier<T> action) {
    try {
      return action.get();
    } catch (ServerProblem e) {
      if (e.status() != 404) {
        throw e;
      }
      Map<String, String> asked =
          Map.of("counts", "false", "limit", String.valueOf(CaseQuery.LIMIT_MAX));
      List<String> ids =
          Fields.objects(server.get("/v1/cases", asked), "items").stream()
              .map(each -> Fields.text(each, "id"))
              .toList();
      throw ids.contains(caseId) ? e.refusal() : StoreCommand.unknown(caseId, ids);
    }
  }

  /// Waits for the end of a job and returns its result. Throws [Refusal] if it failed.
  static Map<String, @Nullable Object> awaitJob(
      ServerClient server,
      Map<String, @Nullable Object> started,
      Consumer<Map<String, @Nullable Object>> progress) {
    CountDownLatch never = new CountDownLatch(1);
    Map<String, @Nullable Object> job = started;
    String path = "/v1/jobs/" + Fields.text(started, "job");
    try {
      while (Fields.text(job, "state").equals("RUNNING")) {
        if (never.await(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
          throw new IllegalStateException("the latch is never released");
        }
        job = server.get(path, Map.of());
        progress.accept(job);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new Refusal(server + ": the command was interrupted; the server's job continues");
    }
    if (!Fields.text(job, "state").equals("DONE")) {
      throw new Refusal(server + ": " + job.getOrDefault("problem", "the job was stopped"));
    }
    return job;
  }
}
