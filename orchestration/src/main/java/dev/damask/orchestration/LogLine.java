package dev.damask.orchestration;

import dev.damask.document.CanonicalJson;
import java.util.Locale;

/// One line of the log of a session: an evaluated step.
///
/// @param outcome valid, invalid, aborted or cancelled
/// @param body what else is known, as a JSON object
public record LogLine(
    SessionKey session, long iteration, String step, String outcome, String body) {
  /// As one line of JSON.
  public String json() {
    StringBuilder out = new StringBuilder("{\"owner\":");
    CanonicalJson.quote(session.owner(), out);
    out.append(",\"sessionId\":").append(session.number());
    out.append(",\"pid\":\"").append(session.number()).append(':').append(iteration).append('"');
    out.append(",\"iteration\":").append(iteration).append(",\"stepId\":");
    CanonicalJson.quote(step, out);
    out.append(",\"outcome\":\"").append(outcome).append("\",\"valid\":");
    out.append(outcome.toLowerCase(Locale.ROOT).equals("valid"));
    String rest = body.length() > 2 ? "," + body.substring(1) : "}";
    return out.append(rest).toString();
  }
}
