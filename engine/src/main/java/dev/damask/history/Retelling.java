package dev.damask.history;

import dev.damask.event.Reply;
import dev.damask.event.Tracer;
import dev.damask.exec.ExecState;
import dev.damask.store.CaseRecord;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Repeats a case from its start to its last commit and passes each input to a narrator.
final class Retelling {
  private static final int PAGE = 512;

  /// The inputs of commits.
  interface Parts {
    /// Returns the inputs of the commits from one revision to another, both included.
    List<JournalCodec.Part> read(long from, long to);
  }

  private final CaseRecord record;
  private final MachineSource machines;
  private final Parts parts;
  private final History.Narrator narrator;
  private final @Nullable Tracer tracer;
  private boolean ran; // at the end of the commit before

  Retelling(
      CaseRecord record,
      MachineSource machines,
      Parts parts,
      History.Narrator narrator,
      @Nullable Tracer tracer) {
    this.record = record;
    this.machines = machines;
    this.parts = parts;
    this.narrator = narrator;
    this.tracer = tracer;
  }

  ExecState run() {
    CommitRepetition repetition = new CommitRepetition(machines, record.program(), null, tracer);
    long newest = record.revision();
    try {
      for (long from = 1; from <= newest; from += PAGE) {
        for (JournalCodec.Part part : parts.read(from, Math.min(newest, from + PAGE - 1))) {
          repetition.begin(part);
          part.entries().forEach(each -> apply(repetition, each));
          ran |= part.ranAtEnd();
        }
      }
      repetition.rest();
    } catch (CommitRepetition.Diverged e) {
      throw new IllegalStateException(
          "case %s: its repetition diverges before revision %d: %s"
              .formatted(record.caseId(), e.divergence.revision(), e.divergence.sentence()),
          e);
    }
    return repetition.state();
  }

  private void apply(CommitRepetition repetition, JournalEntry each) {
    boolean isStart = each.event() instanceof JournalEntry.Event.Started;
    if (!isStart) {
      boolean goesOn = ran && each.run() == JournalEntry.MachineRun.NOT;
      repetition.advance(each.steps(), goesOn ? JournalEntry.MachineRun.SOME : each.run());
      narrator.before(each, repetition.state());
    }
    Reply reply = repetition.apply(each, record.startedMillis());
    narrator.after(each, reply, repetition.state());
    ran = false;
  }
}
