package dev.damask.session;

import dev.damask.json.JsonWriter;
import java.time.Instant;
import java.util.Locale;

/// One line of the log of a session: an evaluated step, or a wake-up that was denied.
///
/// @param iteration of the process; 0 when the line is about none
/// @param outcome valid, invalid, aborted, cancelled or denied
/// @param body what else is known, as a JSON object
/// @param graph what the session is pinned to
/// @param atMillis the time of the commit
public record LogLine(
    SessionKey session,
    long iteration,
    String step,
    String outcome,
    String body,
    Graph graph,
    long atMillis) {
  /// The outcome of a wake-up that was not allowed.
  static final String DENIED = "denied";

  /// A graph by its id and its hash.
  public record Graph(String id, String hash) {}

  LogLine withBody(String other) {
    return new LogLine(session, iteration, step, outcome, other, graph, atMillis);
  }

  /// Whether a step was evaluated.
  public boolean isEvaluation() {
    return !outcome.equals(DENIED);
  }

  /// As one line of JSON.
  public String json() {
    StringBuilder out = new StringBuilder("{\"owner\":");
    out.append(JsonWriter.canonical(session.owner()));
    out.append(",\"sessionId\":").append(session.number());
    out.append(",\"pid\":\"").append(session.number()).append(':').append(iteration).append('"');
    out.append(",\"iteration\":").append(iteration).append(",\"stepId\":");
    out.append(JsonWriter.canonical(step));
    out.append(",\"outcome\":\"").append(outcome).append("\",\"valid\":");
    out.append(outcome.toLowerCase(Locale.ROOT).equals("valid"));
    out.append(",\"ostcId\":");
    out.append(JsonWriter.canonical(graph.id()));
    out.append(",\"ostcHash\":\"").append(graph.hash());
    out.append("\",\"time\":\"").append(Instant.ofEpochMilli(atMillis)).append('"');
    String rest = body.length() > 2 ? "," + body.substring(1) : "}";
    return out.append(rest).toString();
  }
}
