package dev.damask.verify;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/// The ways in which a workflow itself can end a case with a status other than completed.
///
/// @param intended ends that the workflow states, or that `mayEnd` allows
/// @param errors ends that control flow alone reaches and that are not allowed; each is also a
///   violation
/// @param warnings ends that only data make possible
public record Endings(List<Ending> intended, List<Ending> errors, List<Warning> warnings) {
  public static final Endings NONE = new Endings(List.of(), List.of(), List.of());

  public Endings {
    intended = List.copyOf(intended);
    errors = List.copyOf(errors);
    warnings = List.copyOf(warnings);
  }

  /// An end that only data make possible.
  ///
  /// @param data the guards, the count or the keys that decide, as a phrase
  public record Warning(Ending ending, String data) {
    /// Returns the warning as a sentence without the place.
    public String sentence() {
      return ending.sentence() + " " + data;
    }

    @Override
    public String toString() {
      return sentence() + (ending.where().isEmpty() ? "" : " at " + ending.where());
    }
  }

  /// Returns the union of two results for one workflow.
  Endings and(Endings other) {
    Set<Ending> all = new LinkedHashSet<>(intended);
    all.addAll(other.intended);
    Set<Ending> bad = new LinkedHashSet<>(errors);
    bad.addAll(other.errors);
    Set<Warning> possible = new LinkedHashSet<>(warnings);
    possible.addAll(other.warnings);
    return new Endings(List.copyOf(all), List.copyOf(bad), new ArrayList<>(possible));
  }
}
