package dev.damask.routes;

import dev.damask.api.ApiReply;
import dev.damask.api.Call;
import dev.damask.api.CaseSummary;
import dev.damask.api.Desk;
import dev.damask.api.Problem;
import dev.damask.api.Route;
import dev.damask.api.RouteAccess;
import dev.damask.api.Sources;
import dev.damask.cases.Engine;
import dev.damask.description.Description;
import dev.damask.drawing.Drawing;
import dev.damask.event.TraceEvent;
import dev.damask.exec.ExecState;
import dev.damask.family.CaseFamily;
import dev.damask.history.History;
import dev.damask.json.JsonWriter;
import dev.damask.program.Program;
import dev.damask.program.ProgramHash;
import dev.damask.store.CaseRecord;
import dev.damask.store.RevisionGoneException;
import dev.damask.store.Store;
import dev.damask.term.WorkflowDefinition;
import dev.damask.trace.TracePrinter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The routes with which the command line shows a case of a server as it shows one of a store.
final class SummaryRoutes {
  private static final int TAIL_MAX = 10_000;

  private final Desk desk;

  SummaryRoutes(Desk desk) {
    this.desk = desk;
  }

  List<Route> routes() {
    return List.of(
        Route.get("/v1/cases/{case}/summary", "Shows everything that is stored about a case.")
            .query("tail", "How many trace events, from 0 to 10000; 10 without it.")
            .query("revision", "The revision, without receipts and trace; the last without it.")
            .example("/v1/cases/order-1/summary?tail=3", "")
            .to(this::summary),
        Route.get("/v1/cases/{case}/recording", "Returns a case as a file for the test kit.")
            .access(RouteAccess.ADMIN)
            .answer("application/octet-stream")
            .example("/v1/cases/order-1/recording", "")
            .to(this::recording),
        Route.get("/v1/receipts", "Finds the receipt of an effect by its idempotency key.")
            .query("type", "The effect type.")
            .query("key", "The key that the workflow set.")
            .to(this::byKey));
  }

  private ApiReply summary(Call call) {
    CaseRecord record = call.theCase();
    int tail = (int) call.ask("tail", 10, 0, TAIL_MAX);
    CaseSummary summary = summary(call, record, tail);
    Map<String, @Nullable Object> all = summary.json(desk.sources(record)::line);
    return ApiReply.revised(200, all, record.revision());
  }

  private CaseSummary summary(Call call, CaseRecord record, int tail) {
    Engine engine = desk.engine();
    long revision = call.ask("revision", 0, 1, Long.MAX_VALUE);
    if (revision != 0) {
      return past(record, revision);
    }
    Store.LoadedCase loaded = engine.read(record.caseId());
    Sources sources = desk.sources(loaded.record());
    ExecState state = state(record.caseId());
    Program program = state == null ? null : state.program();
    List<TraceEvent> events = engine.trace(record.caseId());
    List<String> lines = new ArrayList<>();
    for (TraceEvent each : events.subList(Math.max(0, events.size() - tail), events.size())) {
      lines.add(TracePrinter.line(program, each));
    }
    return new CaseSummary(
        loaded.record(),
        state,
        source(sources, state),
        loaded.intents(),
        engine.receipts(record.caseId()),
        desk.family(call.caller(), record.caseId()),
        lines);
  }

  /// Returns the last state; null if neither code nor document of the case's program is known.
  private @Nullable ExecState state(String caseId) {
    try {
      History history = desk.engine().history(caseId);
      return history.read(history.newest());
    } catch (IllegalStateException e) {
      return null;
    }
  }

  private static CaseSummary.Source source(Sources sources, @Nullable ExecState state) {
    WorkflowDefinition definition = sources.definition();
    return new CaseSummary.Source(
        state != null && sources.document() == null,
        definition == null ? Map.of() : Description.lines(definition));
  }

  private CaseSummary past(CaseRecord record, long revision) {
    try {
      History history = desk.engine().history(record.caseId());
      ExecState state = history.read(revision);
      Sources sources = desk.sources(record, history.program(revision));
      return new CaseSummary(
          CaseSummary.then(record, revision, state),
          state,
          source(sources, state),
          List.of(),
          List.of(),
          CaseFamily.NONE,
          List.of());
    } catch (RevisionGoneException e) {
      throw new Problem(Problem.Kind.GONE, String.valueOf(e.getMessage()));
    }
  }

  /// Draws a case at a revision, the last one if none is asked for, with its failure.
  ApiReply drawing(Call call) {
    CaseRecord record = call.theCase();
    CaseSummary summary = summary(call, record, 0);
    ExecState state = summary.state();
    ProgramHash program = state == null ? record.program() : state.program().hash();
    WorkflowDefinition definition = desk.sources(record, program).definition();
    if (definition == null) {
      throw new Problem(Problem.Kind.CONFLICT, "the workflow has no definition here; register it");
    }
    return ApiReply.text(
        Route.SVG, Drawing.svg(definition, summary.marks(), HistoryRoutes.theme(call)));
  }

  private ApiReply recording(Call call) {
    byte[] bytes = desk.engine().history(call.theCase().caseId()).file().encode();
    return new ApiReply.Content(200, "application/octet-stream", bytes);
  }

  private ApiReply byKey(Call call) {
    String type = call.ask("type").orElseThrow(() -> Problem.bad("type is missing"));
    String key = call.ask("key").orElseThrow(() -> Problem.bad("key is missing"));
    Optional<Store.KeyedReceipt> found = desk.engine().receiptByKey(type, key);
    CaseRecord record = found.flatMap(each -> desk.find(call.caller(), each.caseId())).orElse(null);
    boolean isHidden =
        record != null && desk.redaction().hidesUnstructured(call.caller(), record.workflow());
    if (found.isEmpty() || record == null || isHidden) { // a key may be a redacted value
      throw Problem.notFound("receipt of type " + Call.shortened(type), Call.shortened(key));
    }
    return ApiReply.ok(
        JsonWriter.object(
            "case",
            record.caseId(),
            "receipt",
            CaseSummary.receipt(record.workflow(), found.get().receipt())));
  }
}
