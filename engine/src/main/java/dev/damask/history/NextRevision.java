package dev.damask.history;

import dev.damask.effect.Receipt;
import dev.damask.exec.StateLog;
import dev.damask.store.CaseRecord;
import dev.damask.store.JournalPart;
import dev.damask.store.StateChange;
import dev.damask.store.StoredState;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// What a commit stores of the state of its case and of what led to it.
@SuppressWarnings("exports") // the state is for our own modules
public record NextRevision(StateChange change, StoredState.Head head, JournalPart journal) {
  /// The way to records that are in the store and not in memory. It throws `IllegalStateException`.
  public static final Supplier<StoredState.Chain> UNREAD =
      () -> {
        throw new IllegalStateException("the records of a commit are in the store");
      };

  /// Returns a record that keeps no bytes of the state in memory.
  public static CaseRecord light(CaseRecord record) {
    return record.state() instanceof StoredState.Head head
        ? record.withState(head.with(UNREAD))
        : record;
  }

  /// The state of a case that is about to be committed.
  ///
  /// @param before its last record; null if it has none
  /// @param written what its log has written
  public record Present(
      StateLog.CaseKey key,
      @Nullable CaseRecord before,
      StateLog log,
      StateLog.Change written,
      Submissions submitted) {
    private long revision() {
      return before == null ? 1 : before.revision() + 1;
    }

    private StoredState.@Nullable Head head() {
      return before != null && before.state() instanceof StoredState.Head head ? head : null;
    }
  }

  /// Builds the next revision.
  ///
  /// @param inputs since the last commit; null if there were none
  /// @param receipts of the commit
  public static NextRevision of(
      Present present, CommitTime at, @Nullable InputLog inputs, List<Receipt> receipts) {
    long revision = present.revision();
    String caseId = present.key.caseId();
    StateLog.Change written = present.written;
    StateChange change =
        new StateChange(
            written.isBase(),
            StateChange.Stored.of(caseId, revision, written.bytes()),
            written.added(),
            written.unused(),
            0);
    StoredState.Head before = present.head();
    Trimming.Cut cut =
        before == null
            ? new Trimming.Cut(revision, List.of(), change.bytes())
            : at.trimming()
                .cut(
                    new Trimming.Next(caseId, revision, change, before, present.log.weight()),
                    present.submitted.records());
    boolean isKept = at.journal() == JournalMode.INPUTS;
    JournalPart journal =
        isKept
            ? JournalCodec.encode(
                present.key, revision, inputs == null ? new InputLog() : inputs, receipts)
            : JournalPart.NONE;
    StoredState.Head head =
        new StoredState.Head(
            present.log.state().program().hash(),
            written.after(),
            written.isBase() || before == null ? revision : before.base(),
            cut.kept() > 0 || before == null ? cut.kept() : before.kept(),
            cut.bytes(),
            isKept ? since(revision, before) : 0,
            UNREAD);
    return new NextRevision(
        new StateChange(
            change.isBase(), change.record(), change.added(), cut.removed(), cut.kept()),
        head,
        journal.with(receipts, present.submitted.lasting()));
  }

  private static long since(long revision, StoredState.@Nullable Head before) {
    return before == null || before.journal() == 0 ? revision : before.journal();
  }
}
