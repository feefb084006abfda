package dev.damask.store;

import dev.damask.value.Decoder;
import dev.damask.value.Encoder;

/// One line of the audit log. Control characters, line separators and unpaired surrogates are
/// escaped, so that no text can look like another entry; long texts are cut.
///
/// @param atMillis when it was done
/// @param actor who did it
/// @param action what was done, such as `signal`
/// @param caseId the case; empty if it was about none
/// @param subject the part of the case, such as a place or a task; empty for the case
/// @param outcome such as `accepted` or `refused`
/// @param reason why, or why it was refused; empty if there is none
public record AuditEntry(
    long atMillis,
    String actor,
    String action,
    String caseId,
    String subject,
    String outcome,
    String reason) {
  /// How many characters a string has at most.
  public static final int TEXT_MAX = 1_000;

  private static final int FORMAT = 1;

  public AuditEntry {
    actor = escaped(actor);
    action = escaped(action);
    caseId = escaped(caseId);
    subject = escaped(subject);
    outcome = escaped(outcome);
    reason = escaped(reason);
  }

  private static String escaped(String text) {
    StringBuilder out = new StringBuilder(text.length());
    text.codePoints()
        .limit(TEXT_MAX)
        .forEach(each -> {
          int type = Character.getType(each);
          if (type == Character.CONTROL
              || type == Character.FORMAT
              || type == Character.LINE_SEPARATOR
              || type == Character.PARAGRAPH_SEPARATOR
              || type == Character.SURROGATE) {
            out.append("\\u{").append(Integer.toHexString(each)).append('}');
          } else {
            out.appendCodePoint(each);
          }
        });
    return out.toString();
  }

  /// Returns the stored form.
  public byte[] encode() {
    Encoder out = new Encoder();
    out.octet(FORMAT);
    out.whole(atMillis);
    out.text(actor);
    out.text(action);
    out.text(caseId);
    out.text(subject);
    out.text(outcome);
    out.text(reason);
    return out.toBytes();
  }

  /// Reads what [#encode] returned. Throws `DamagedBytes` if it is corrupt.
  public static AuditEntry decode(byte[] bytes) {
    Decoder in = new Decoder(bytes);
    int format = in.octet();
    if (format != FORMAT) {
      throw in.damaged("the format " + format + " of an audit entry");
    }
    AuditEntry entry =
        new AuditEntry(
            in.whole(), in.text(), in.text(), in.text(), in.text(), in.text(), in.text());
    in.requireEnd();
    return entry;
  }
}
