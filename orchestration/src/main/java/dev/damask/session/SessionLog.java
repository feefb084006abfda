package dev.damask.session;

import dev.damask.event.ProcessEvent;
import dev.damask.event.TraceEvent;
import dev.damask.history.TracePart;
import dev.damask.json.JsonWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The log lines of a session, from the events of its trace.
final class SessionLog {
  private final List<LogLine> lines = new ArrayList<>();
  private final SessionKey key;
  private final LogLine.Graph graph;

  private SessionLog(SessionKey key, LogLine.Graph graph) {
    this.key = key;
    this.graph = graph;
  }

  /// Returns the lines of a trace, in order.
  static List<LogLine> of(SessionKey key, LogLine.Graph graph, List<TracePart> trace) {
    SessionLog log = new SessionLog(key, graph);
    for (TracePart part : trace) {
      part.events().forEach(event -> log.add(event, part.atMillis()));
    }
    return log.lines;
  }

  private void add(TraceEvent event, long atMillis) {
    switch (event.process()) {
      case ProcessEvent.Evaluated(var number, var outcome) ->
          add(number, event.subject(), outcome.word(), body(event), atMillis);
      case ProcessEvent.Sent(var number, var note) -> sent(number, note);
      case ProcessEvent.Received(var tag, _) -> {
        if (event.subject().equals(SessionControl.DENY)) {
          denied(tag, atMillis);
        }
      }
      case ProcessEvent.Spawned _,
          ProcessEvent.Aborted _,
          ProcessEvent.Awaits _,
          ProcessEvent.Joined _,
          ProcessEvent.Woken _ -> {}
      case null -> {}
    }
  }

  private void add(long number, String step, String outcome, String body, long atMillis) {
    lines.add(new LogLine(key, number, step, outcome, body, graph, atMillis));
  }

  /// The wake-ups of a step belong to the line of its evaluation.
  private void sent(int number, String note) {
    if (!note.isEmpty()) {
      lines.replaceAll(
          line -> line.iteration() == number ? line.withBody(joined(line.body(), note)) : line);
    }
  }

  /// @param tag of the message, a JSON object
  private void denied(String tag, long atMillis) {
    Map<?, ?> told = ProcessRows.object(tag);
    Map<String, Object> body = new TreeMap<>();
    body.put("caller", String.valueOf(told.get("caller")));
    body.put("rule", String.valueOf(told.get("rule")));
    add(0, String.valueOf(told.get("step")), LogLine.DENIED, JsonWriter.canonical(body), atMillis);
  }

  private static String body(TraceEvent event) {
    TraceEvent.Evaluation evaluation = event.evaluation();
    if (evaluation == null) {
      return "{}";
    }
    String payload = JsonWriter.canonical(evaluation.payload().toMap());
    String own = "{\"cost\":" + evaluation.cost() + ",\"payload\":" + payload + "}";
    return joined(joined(own, evaluation.note().more()), evaluation.note().origin());
  }

  /// One JSON object of two; the other may be empty.
  private static String joined(String one, String other) {
    return other.isEmpty() ? one : one.substring(0, one.length() - 1) + "," + other.substring(1);
  }
}
