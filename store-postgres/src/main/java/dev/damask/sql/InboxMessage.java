package dev.damask.sql;

import dev.damask.cluster.CaseMessage;
import dev.damask.json.Json;
import dev.damask.json.JsonLimits;
import dev.damask.json.JsonReader;
import dev.damask.value.Context;
import dev.damask.value.Decoder;
import dev.damask.value.Encoder;
import java.util.Optional;

/// A message to a case, as it waits in table `inbox`.
///
/// @param messageId unique per case; sending the same message again changes nothing
/// @param kind `start`, `signal`, `complete`, `fail`, `cancel`, `migrate`, `retry` or `wake`
/// @param name the workflow, place, task or scope; empty if the kind has none
/// @param body the bytes that the library sent; empty for a message of an SQL function
/// @param payload the JSON that an SQL function sent
@SuppressWarnings("ArrayRecordComponent") // messages are compared by their ids
public record InboxMessage(
    String caseId,
    String messageId,
    String kind,
    String name,
    byte[] body,
    Optional<String> payload) {
  public InboxMessage {
    requireText("case id", caseId);
    requireText("message id", messageId);
    requireText("kind", kind);
    if (name.indexOf(0) >= 0) {
      throw new IllegalArgumentException("message " + messageId + ": name contains U+0000");
    }
  }

  public static InboxMessage of(CaseMessage message) {
    Encoder out = new Encoder();
    out.context(message.body());
    return new InboxMessage(
        message.caseId(),
        message.messageId(),
        message.kind(),
        message.name(),
        out.toBytes(),
        Optional.empty());
  }

  /// Returns the message in the form of the engine. Throws `RuntimeException` if it cannot be read.
  public CaseMessage toCase() {
    if (body.length > 0) {
      Context read = new Decoder(body).context();
      return new CaseMessage(caseId, messageId, kind, name, read, false);
    }
    Json json = JSON.read(payload.orElse("{}"));
    if (!(json instanceof Json.Fields fields)) {
      throw new IllegalArgumentException(
          "message %s: expected a JSON object, found %s".formatted(messageId, json.kind()));
    }
    Context read = Context.from(fields.plainEntries(Json.Numeral::number));
    return new CaseMessage(caseId, messageId, kind, name, read, true);
  }

  private static final JsonReader JSON = new JsonReader(JsonLimits.ofNumbers(64, 400, 400));

  private static void requireText(String what, String value) {
    if (value.isEmpty() || value.indexOf(0) >= 0) {
      throw new IllegalArgumentException(
          what + " must not be empty or contain U+0000, got '" + value.replace("\0", "\\0") + "'");
    }
  }
}
