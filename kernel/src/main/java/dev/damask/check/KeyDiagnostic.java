package dev.damask.check;

import dev.damask.term.TermPath;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/// A key that is read where it may be missing, or that two parallel branches write.
///
/// @param place the term that reads the key; for a conflict, the term with the branches
/// @param reader the expression or task that reads the key, as messages show it
/// @param available the keys that exist at this place on every path
/// @param possible the keys that exist at this place on some path, including the available ones
/// @param unknownWriter whether a leaf that can write any key may have run before
/// @param writers for a conflict, the two branches; otherwise empty
public record KeyDiagnostic(
    Kind kind,
    TermPath place,
    String reader,
    String key,
    Set<String> available,
    Set<String> possible,
    boolean unknownWriter,
    List<TermPath> writers) {
  /// What is wrong with the key.
  public enum Kind {
    /// Some paths to this place write the key, others do not.
    NOT_ON_EVERY_PATH,
    /// No path to this place writes the key, as far as writers are known.
    ON_NO_PATH,
    /// Two parallel branches write the key, and the merge does not determine its value.
    WRITTEN_TWICE
  }

  public KeyDiagnostic {
    available = Collections.unmodifiableSortedSet(new TreeSet<>(available));
    possible = Collections.unmodifiableSortedSet(new TreeSet<>(possible));
    writers = List.copyOf(writers);
  }

  /// Returns one sentence about the key, without the place.
  public String sentence() {
    return switch (kind) {
      case NOT_ON_EVERY_PATH -> reads() + "which is not written on every path to this step";
      case ON_NO_PATH ->
          reads()
              + (unknownWriter
                  ? "which only a result or payload with unknown keys can write"
                  : "which no preceding step writes");
      case WRITTEN_TWICE ->
          "key '"
              + key
              + "' is written by two parallel branches, "
              + writers.getFirst()
              + " and "
              + writers.getLast()
              + ", without a merge";
    };
  }

  private String reads() {
    return reader.isEmpty() ? "'" + key + "' is read, " : "'" + reader + "' reads '" + key + "', ";
  }

  /// Returns what to do about it: the key that was probably meant, or the keys that exist.
  public String remedy() {
    return switch (kind) {
      case ON_NO_PATH -> Nearest.hint(key, possible);
      case NOT_ON_EVERY_PATH -> "write it on the other paths, or test it with has(ctx." + key + ")";
      case WRITTEN_TWICE -> "write different keys, or add a merge such as first or collect";
    };
  }
}
