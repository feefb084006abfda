package dev.damask.cli.command;

import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// The words and times of cases as commands print them.
public final class CaseWords {
  private CaseWords() {}

  /// Returns the word for a status.
  public static String word(CaseStatus status) {
    return status.name().toLowerCase(Locale.ROOT);
  }

  /// Returns the time of the next timer, or null if the case has none.
  public static @Nullable String due(CaseRecord record) {
    return record.dueMillis() == CaseRecord.NEVER ? null : time(record.dueMillis());
  }

  /// Returns a time in ISO-8601 notation.
  public static String time(long millis) {
    return Instant.ofEpochMilli(millis).toString();
  }
}
