package dev.damask.store;

import java.util.List;

/// What becomes durable with one sync.
public record CommitBatch(List<CaseCommit> cases, List<StoredProgram> programs) {
  public CommitBatch {
    cases = List.copyOf(cases);
    programs = List.copyOf(programs);
  }

  public CommitBatch(List<CaseCommit> cases) {
    this(cases, List.of());
  }
}
