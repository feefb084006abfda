package dev.damask.store;

import java.util.List;

/// What becomes durable with one sync.
///
/// @param removals cases that go, with everything that belongs to them
public record CommitBatch(
    List<CaseCommit> cases, List<StoredProgram> programs, List<String> removals) {
  public CommitBatch {
    cases = List.copyOf(cases);
    programs = List.copyOf(programs);
    removals = List.copyOf(removals);
  }

  /// Creates a batch that only commits cases.
  public CommitBatch(List<CaseCommit> cases) {
    this(cases, List.of(), List.of());
  }

  /// Returns a batch that only stores programs.
  public static CommitBatch of(List<StoredProgram> programs) {
    return new CommitBatch(List.of(), programs, List.of());
  }
}
