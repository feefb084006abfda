package dev.damask.cli.cases;

import dev.damask.api.Cursor;
import dev.damask.caller.CaseReply;
import dev.damask.cases.Engine;
import dev.damask.cases.EngineOptions;
import dev.damask.cli.command.CaseHost;
import dev.damask.cli.command.Fields;
import dev.damask.cli.command.KeptDocuments;
import dev.damask.cli.command.Lines;
import dev.damask.cli.command.ServerClient;
import dev.damask.cli.command.ServerProblem;
import dev.damask.effect.Effect;
import dev.damask.ops.Incident;
import dev.damask.ops.IncidentQuery;
import dev.damask.ops.Incidents;
import dev.damask.store.Store;
import dev.damask.task.EffectId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The incidents of a store or a server.
sealed interface IncidentBook extends AutoCloseable {
  static IncidentBook open(CaseHost host) {
    return host.open(InStore::new, AtServer::new);
  }

  List<Incident> list(IncidentQuery query);

  /// What is done with incidents.
  ///
  /// @param word retry, skip or fail
  /// @param result with skip: the result of the task
  /// @param reason with fail: the reason; empty for that of the incident
  record Action(String word, Map<String, @Nullable Object> result, String reason) {}

  /// Applies an action to incidents, one after the other. Returns the word of each reply, or why
  /// there was none.
  List<String> apply(Action action, List<Incident> incidents);

  @Override
  void close();

  /// The incidents of a store that the command has opened.
  record InStore(Store store) implements IncidentBook {
    @Override
    public List<Incident> list(IncidentQuery query) {
      return Incidents.of(store, query);
    }

    @Override
    public List<String> apply(Action action, List<Incident> incidents) {
      EngineOptions options = EngineInputs.options().withSources(new KeptDocuments(store, null));
      try (Engine engine = Engine.open(options, store)) {
        return incidents.stream().map(each -> reply(engine.incidents(), action, each)).toList();
      }
    }

    private static String reply(Incidents incidents, Action action, Incident each) {
      try {
        CaseReply reply =
            switch (action.word) {
              case "retry" -> incidents.retry(each.caseId(), each.id());
              case "skip" -> incidents.skip(each.caseId(), each.id(), action.result);
              default -> incidents.fail(each.caseId(), each.id(), action.reason);
            };
        return CaseInputs.word(reply.kind());
      } catch (IllegalArgumentException | IllegalStateException e) { // its program, its data
        return Lines.oneLine(String.valueOf(e.getMessage()));
      }
    }

    @Override
    public void close() {
      store.close();
    }
  }

  /// The incidents of a server.
  record AtServer(ServerClient server) implements IncidentBook {
    private static final String PATH = "/v1/incidents";

    @Override
    public List<Incident> list(IncidentQuery query) {
      Map<String, String> asked = new LinkedHashMap<>();
      query.workflow().ifPresent(each -> asked.put("workflow", each));
      query.caseId().ifPresent(each -> asked.put("case", each));
      query.reason().ifPresent(each -> asked.put("reason", each));
      List<Incident> all = new ArrayList<>();
      for (Map<String, @Nullable Object> each : Fields.objects(server.get(PATH, asked), "items")) {
        if (query.type().isEmpty() || query.type().get().equals(each.get("type"))) {
          all.add(incident(each));
        }
      }
      return all;
    }

    private static Incident incident(Map<String, @Nullable Object> item) {
      String task = Cursor.parts(Fields.text(item, "id"), 2).getFirst();
      return new Incident(
          Fields.text(item, "case"),
          Fields.text(item, "workflow"),
          new Effect(
              new EffectId(Long.parseUnsignedLong(task, 16)),
              Fields.text(item, "name"),
              (int) Fields.whole(item, "attempts"),
              Fields.text(item, "type"),
              ""),
          Fields.text(item, "task"),
          Instant.parse(Fields.text(item, "since")),
          Fields.text(item, "reason"),
          Fields.text(item, "detail"));
    }

    @Override
    public List<String> apply(Action action, List<Incident> incidents) {
      Map<String, @Nullable Object> body =
          switch (action.word) {
            case "retry" -> Map.of();
            case "skip" -> Map.of("result", action.result);
            default -> Map.of("reason", action.reason);
          };
      return incidents.stream().map(each -> reply(action.word, each, body)).toList();
    }

    private String reply(String word, Incident each, Map<String, @Nullable Object> body) {
      String id = String.valueOf(Cursor.of(each.id().toString(), each.caseId()));
      try {
        Map<String, @Nullable Object> taken = server.post(PATH + "/" + id + "/" + word, body);
        return CaseInputs.word(ServerInputs.reply(Fields.text(taken, "outcome"), 0).kind());
      } catch (ServerProblem e) {
        return e.get("outcome") instanceof String outcome
            ? CaseInputs.word(ServerInputs.reply(outcome, 0).kind())
            : Lines.oneLine(String.valueOf(e.getMessage()));
      }
    }

    @Override
    public void close() {
      server.close();
    }
  }
}
