package dev.damask.cli.run;

import dev.damask.caller.CaseView;
import dev.damask.cli.cases.CaseReport;
import dev.damask.cli.cases.InputCommand;
import dev.damask.cli.cases.ServerInputs;
import dev.damask.cli.command.Fields;
import dev.damask.cli.command.Refusal;
import dev.damask.cli.command.ServerClient;
import dev.damask.cli.command.ServerProblem;
import dev.damask.cli.command.Streams;
import dev.damask.clock.EngineClock;
import dev.damask.document.LoadedDocument;
import dev.damask.json.JsonWriter;
import dev.damask.scenario.ScenarioStep;
import dev.damask.session.SessionKey;
import dev.damask.store.CaseStatus;
import dev.damask.task.EffectId;
import dev.damask.value.Context;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Runs cases at a server, or in the process that holds a store: starts one, and follows one or all
/// of them until they have ended or wait for external events.
final class ServedRun {
  /// The options of `damask run` that only the server decides.
  static final List<String> REFUSED =
      List.of(
          "--trace",
          "--trace-out",
          "--scheduler",
          "--allow",
          "--secret",
          "--traceparent",
          "--history",
          "--history-bytes",
          "--journal");

  private static final String CASES = "/v1/cases";
  private static final long PAUSE_MIN_MILLIS = 10;
  private static final long PAUSE_MAX_MILLIS = 50;

  private final Streams streams;
  private final ServerClient server;
  private final Duration patience;
  private final List<ScenarioStep> events;
  private final Set<String> workflows = new HashSet<>();
  private final Set<EffectId> calling = new HashSet<>(); // as the cases were read last

  /// @param patience how far ahead a timer may lie for the run to wait for it
  ServedRun(Streams streams, ServerClient server, Duration patience, List<ScenarioStep> events) {
    this.streams = streams;
    this.server = server;
    this.patience = patience;
    this.events = events;
  }

  /// Makes a document the current version of its workflow, unless it is.
  void register(LoadedDocument loaded) {
    String name = loaded.workflow().name();
    workflows.add(name);
    boolean isCurrent = false;
    try {
      Map<String, @Nullable Object> known =
          server.get("/v1/workflows/" + ServerClient.segment(name), Map.of());
      isCurrent =
          Fields.flag(known, "current")
              && Fields.text(known, "program").equals(loaded.program().hash().toString());
    } catch (ServerProblem e) {
      if (e.status() != 404) {
        throw e;
      }
    }
    if (!isCurrent) {
      ServerInputs.put(server, loaded);
    }
  }

  /// Starts a case, or resumes the one with that id, and returns its id.
  ///
  /// @param id null for the open case of this workflow, or a new case
  String start(LoadedDocument loaded, @Nullable String id, Context context) {
    register(loaded);
    String workflow = loaded.workflow().name();
    String chosen =
        id == null
            ? new CaseIds(workflow, open(workflow), each -> find(each).isPresent()).choose()
            : id;
    Map<String, @Nullable Object> started =
        server.post(
            CASES, JsonWriter.object("workflow", workflow, "id", chosen, "input", context.toMap()));
    if (!Fields.flag(started, "created")) {
      boolean isSame =
          find(chosen).filter(each -> each.program().equals(loaded.program().hash())).isPresent();
      String version = isSame ? "" : " with the workflow version it was started with";
      streams.err().println("damask: resuming case " + chosen + version);
    } else if (id == null) {
      streams.err().println("damask: started case " + chosen);
    }
    return chosen;
  }

  /// Follows every case that has not ended. Sessions are left out: the server runs them.
  List<CaseReport> followAll() throws InterruptedException {
    List<CaseReport> all = new ArrayList<>();
    for (String each : open(null)) {
      if (!SessionKey.isSession(each)) {
        all.add(follow(each));
      }
    }
    return all;
  }

  /// The cases that have not ended.
  ///
  /// @param workflow null for all workflows
  private List<String> open(@Nullable String workflow) {
    List<String> ids = new ArrayList<>();
    for (CaseStatus status : CaseStatus.values()) {
      String cursor = status.isEnded() || status == CaseStatus.CORRUPT ? null : "";
      while (cursor != null) {
        Map<String, String> asked = new LinkedHashMap<>();
        asked.put("status", status.name());
        asked.put("limit", "1000");
        asked.put("counts", "false");
        if (workflow != null) {
          asked.put("workflow", workflow);
        }
        if (!cursor.isEmpty()) {
          asked.put("cursor", cursor);
        }
        Map<String, @Nullable Object> page = server.get(CASES, asked);
        for (Map<String, @Nullable Object> each : Fields.objects(page, "items")) {
          ids.add(Fields.text(each, "id"));
        }
        cursor = page.get("next") instanceof String next ? next : null;
      }
    }
    return ids;
  }

  /// Follows a case until it has ended or waits for external events.
  CaseReport follow(String caseId) throws InterruptedException {
    CaseProgress progress = new CaseProgress(streams, caseId);
    CountDownLatch never = new CountDownLatch(1);
    PlayedCase played = ServedEvents.open(server, caseId);
    EventPlayer player = new EventPlayer(played, EngineClock.system(), events, progress);
    readWorkflows();
    String told = "";
    while (true) {
      CaseView view = find(caseId).orElseThrow(() -> new Refusal(caseId + ": was removed"));
      String standing = InputCommand.standing(view);
      if (!standing.equals(told)) {
        progress.tell(standing);
        told = standing;
      }
      if (CaseRun.isAtEnd(view.status())) {
        if (view.status() == CaseStatus.DEADLOCKED && player.play(view, false)) {
          continue; // an event may cancel a part of it
        }
      } else {
        ChildProgress children =
            ChildProgress.of(this::find, view, each -> calling.contains(each.id()), workflows);
        boolean isBusy =
            view.status() == CaseStatus.RUNNING
                || children.isBusy()
                || view.tasks().stream().anyMatch(each -> calling.contains(each.id()));
        if (player.play(view, isBusy || view.tasks().stream().anyMatch(CaseRun::waitsForTime))) {
          continue;
        }
        long until = until(view, player, children.due());
        if (isBusy || until != Long.MAX_VALUE) {
          long pause =
              Math.clamp(until - System.currentTimeMillis(), PAUSE_MIN_MILLIS, PAUSE_MAX_MILLIS);
          if (never.await(pause, TimeUnit.MILLISECONDS)) {
            throw new IllegalStateException("the latch is never released");
          }
          continue;
        }
      }
      CaseReport report = report(caseId);
      if (!report.isRunning()) { // an input of another client may have moved it since
        player.finish();
        return report;
      }
    }
  }

  private CaseReport report(String caseId) {
    String path = CASES + "/" + ServerClient.segment(caseId) + "/summary";
    return CaseReport.of(caseId, server.get(path, Map.of("tail", "0")));
  }

  /// Reads which workflows the server can start as children.
  private void readWorkflows() {
    Map<String, @Nullable Object> found = server.get("/v1/workflows", Map.of());
    for (Map<String, @Nullable Object> each : Fields.objects(found, "items")) {
      if (Fields.flag(each, "current") || Fields.flag(each, "document")) {
        workflows.add(Fields.text(each, "workflow"));
      }
    }
  }

  /// The next time at which something happens that this run waits for; never when nothing does.
  private long until(CaseView view, EventPlayer player, long dueOfChildren) {
    long now = System.currentTimeMillis();
    long due = Math.min(view.nextDue().orElse(Long.MAX_VALUE), dueOfChildren);
    long last = now + Math.min(patience.toMillis(), Long.MAX_VALUE - now);
    return Math.min(player.waitsUntil(), due <= last ? due : Long.MAX_VALUE);
  }

  /// Reads a case, and which of its calls are in progress.
  private Optional<CaseView> find(String caseId) {
    try {
      Map<String, @Nullable Object> shown =
          server.get(CASES + "/" + ServerClient.segment(caseId), Map.of());
      CaseView view = ServerInputs.view(caseId, shown);
      view.tasks().forEach(each -> calling.remove(each.id()));
      calling.addAll(ServerInputs.calling(shown));
      return Optional.of(view);
    } catch (ServerProblem e) {
      if (e.status() != 404) {
        throw e;
      }
      return Optional.empty();
    }
  }
}
