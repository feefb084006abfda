package dev.damask.intake;

import dev.damask.cluster.CaseMessage;
import dev.damask.store.TableRow;
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
}
