package dev.damask.store;

import java.util.List;

/// What becomes durable with one sync.
///
/// @param removals cases that are removed, with everything that belongs to them
/// @param rows changes of the store's [Table]; a batch with rows is atomic as a whole
/// @param applied messages of the inbox that the batch applies; only on a store that nodes share
/// @param audit entries of the audit log; a batch with entries is atomic as a whole
public record CommitBatch(
    List<CaseCommit> cases,
    List<StoredProgram> programs,
    List<String> removals,
    List<RowChange> rows,
    List<AppliedMessage> applied,
    List<AuditEntry> audit) {
  public CommitBatch {
    cases = List.copyOf(cases);
    programs = List.copyOf(programs);
    removals = List.copyOf(removals);
    rows = List.copyOf(rows);
    applied = List.copyOf(applied);
    audit = List.copyOf(audit);
  }

  /// Creates a batch without entries of the audit log.
  public CommitBatch(
      List<CaseCommit> cases,
      List<StoredProgram> programs,
      List<String> removals,
      List<RowChange> rows,
      List<AppliedMessage> applied) {
    this(cases, programs, removals, rows, applied, List.of());
  }

  /// Creates a batch that applies no messages of the inbox.
  public CommitBatch(
      List<CaseCommit> cases,
      List<StoredProgram> programs,
      List<String> removals,
      List<RowChange> rows) {
    this(cases, programs, removals, rows, List.of());
  }

  /// Creates a batch without rows.
  public CommitBatch(List<CaseCommit> cases, List<StoredProgram> programs, List<String> removals) {
    this(cases, programs, removals, List.of());
  }

  /// Creates a batch that only commits cases.
  public CommitBatch(List<CaseCommit> cases) {
    this(cases, List.of(), List.of());
  }

  /// Creates a batch of changes of the table only.
  public static CommitBatch ofRows(List<RowChange> rows) {
    return new CommitBatch(List.of(), List.of(), List.of(), rows);
  }

  /// Returns a batch that only replies to messages.
  public static CommitBatch ofReplies(List<AppliedMessage> applied, List<AuditEntry> audit) {
    return new CommitBatch(List.of(), List.of(), List.of(), List.of(), applied, audit);
  }

  /// Returns a batch that only writes entries of the audit log.
  public static CommitBatch ofAudit(List<AuditEntry> audit) {
    return new CommitBatch(List.of(), List.of(), List.of(), List.of(), List.of(), audit);
  }

  /// Returns a batch that only stores programs.
  public static CommitBatch of(List<StoredProgram> programs) {
    return new CommitBatch(List.of(), programs, List.of());
  }
}
