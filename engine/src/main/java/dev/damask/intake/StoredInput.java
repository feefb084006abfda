package dev.damask.intake;

import dev.damask.caller.CaseReply;
import dev.damask.cluster.CaseMessage;
import dev.damask.event.Reply;
import dev.damask.store.TableRow;
import dev.damask.trace.TracePrinter;
import dev.damask.value.Bytes;
import dev.damask.value.Decoder;
import dev.damask.value.Encoder;

/// An input that came while its case was paused: a row of the store's table. The commit that stores
/// it writes the row, and the commit that applies it removes the row.
///
/// @param number from 1, in the order they came
/// @param atMillis when it came
/// @param message its message id is empty if the sender specified none
public record StoredInput(long number, long atMillis, CaseMessage message) {
  /// The kind of the rows. The key of a row is the case id, its version is the number.
  public static final String KIND = "storedInput";

  private static final int FORMAT = 1;

  /// Returns the row that stores it.
  public TableRow row() {
    Encoder out = new Encoder();
    out.octet(FORMAT);
    out.whole(atMillis);
    out.text(message.messageId());
    out.text(message.kind());
    out.text(message.name());
    out.context(message.body());
    return new TableRow(KIND, message.caseId(), number, Bytes.of(out.toBytes()));
  }

  /// Reads what [#row] returned. Throws `DamagedBytes` if it is corrupt.
  public static StoredInput of(TableRow row) {
    Decoder in = new Decoder(row.value().toArray());
    int format = in.octet();
    if (format != FORMAT) {
      throw in.damaged("the format " + format + " of a stored input");
    }
    long at = in.whole();
    CaseMessage message =
        new CaseMessage(row.key(), in.text(), in.text(), in.text(), in.context(), false);
    in.requireEnd();
    return new StoredInput(row.version(), at, message);
  }

  /// Logs the reply to an input that was stored, unless the case accepted the input. No caller
  /// waits for the reply any more.
  public static void report(CaseMessage message, Object given) {
    if (given instanceof CaseReply reply && !isAccepted(reply.kind())) {
      System.getLogger(StoredInput.class.getName())
          .log(System.Logger.Level.WARNING, () -> text(message, reply.kind()));
    }
  }

  private static boolean isAccepted(Reply reply) {
    return reply == Reply.ACCEPTED || reply == Reply.BUFFERED;
  }

  private static String text(CaseMessage message, Reply reply) {
    String name = message.name().isEmpty() ? "" : " '" + message.name() + "'";
    String id = message.messageId().isEmpty() ? "" : " with id '" + message.messageId() + "'";
    return TracePrinter.visible(
        "case %s: %s%s%s was stored while the case was paused and not applied at its resume: %s"
            .formatted(message.caseId(), message.kind(), name, id, why(reply)));
  }

  private static String why(Reply reply) {
    return switch (reply) {
      case ACCEPTED, BUFFERED, STORED -> "";
      case LOST -> "no token waits for it, and its place keeps nothing";
      case REJECTED -> "the case does not accept it, or keeps as much as it may";
      case LATE -> "the task has ended";
      case NO_SUCH_REGION -> "no open scope, set of instances or task has this name";
      case CASE_ENDED -> "the case has ended";
    };
  }
}
