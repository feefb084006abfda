package dev.damask.store;

import dev.damask.attribute.CaseFacts;
import dev.damask.effect.ReceiptChain;
import dev.damask.exec.ExecState;
import dev.damask.exec.Machine;
import dev.damask.exec.StateCodec;
import dev.damask.exec.StateLog;
import dev.damask.program.ProgramHash;
import dev.damask.value.Bytes;
import dev.damask.value.Decoder;
import dev.damask.value.Encoder;
import dev.damask.value.Sum;
import org.jspecify.annotations.Nullable;

/// The last revision of a case, with access to its state.
///
/// @param revision from 1, increased by every commit
/// @param epoch the epoch of the engine that wrote it
/// @param changedMillis when it was written
/// @param dueMillis when its next timer is due; [#NEVER] if there is none
/// @param terms the options of this case, opaque to the store
/// @param evidence why the case is quarantined or corrupt; empty if it is not
/// @param state the state of the machine
/// @param facts the values by which queries find the case
public record CaseRecord(
    String caseId,
    long revision,
    long epoch,
    CaseStatus status,
    String workflow,
    long startedMillis,
    long changedMillis,
    long dueMillis,
    ReceiptChain receipts,
    Bytes terms,
    String evidence,
    StoredState state,
    CaseFacts facts) {
  /// The due time of a case without a timer.
  public static final long NEVER = Long.MAX_VALUE;

  /// The format with the whole state, and the one whose state is stored apart.
  private static final int WHOLE = 1;

  /// The format that has the base up to which the past would go next, and not yet its size.
  private static final int MIDDLE = 2;

  /// The format without the revision since which there is a journal.
  private static final int SIZED = 3;

  private static final int HEAD = 4;

  /// Added to the format if the facts are at the end, which they are only if there are any.
  private static final int WITH_FACTS = 8;

  private static final int HASH_BYTES = 32;

  /// Returns the record of a case without timers, receipts, terms, state and facts.
  public static CaseRecord of(
      String caseId, long revision, long epoch, CaseStatus status, String workflow) {
    return new CaseRecord(
        caseId,
        revision,
        epoch,
        status,
        workflow,
        0,
        0,
        NEVER,
        ReceiptChain.EMPTY,
        Bytes.of(),
        "",
        new StoredState.Whole(new byte[0]),
        CaseFacts.NONE);
  }

  /// Returns the record that a list shows for a case that cannot be read: its id, its start and the
  /// reason.
  public static CaseRecord corrupt(String caseId, long startedMillis, String evidence) {
    return of(caseId, 0, 0, CaseStatus.CORRUPT, "")
        .withTimes(startedMillis, startedMillis, NEVER)
        .asCorrupt(evidence);
  }

  /// Returns this case as one that cannot be read.
  public CaseRecord asCorrupt(String why) {
    return with(CaseStatus.CORRUPT, why, state, CaseFacts.NONE);
  }

  /// The program the case is pinned to.
  public ProgramHash program() {
    return state.program();
  }

  /// What the hashes of its state depend on.
  @SuppressWarnings("exports") // the state is for our own modules
  public StateLog.CaseKey key() {
    return new StateLog.CaseKey(caseId, startedMillis);
  }

  /// Reads the state and the log that continues its records.
  @SuppressWarnings("exports") // the state is for our own modules
  public StateLog open(Machine machine) {
    return state.open(machine, key());
  }

  /// Reads the state.
  @SuppressWarnings("exports") // the state is for our own modules
  public ExecState decode(Machine machine) {
    return open(machine).state();
  }

  /// The records of the state; none if it is in one piece.
  public StoredState.Chain chain() {
    return state instanceof StoredState.Head head ? head.chain().get() : StoredState.Chain.NONE;
  }

  /// Returns this case with another state.
  public CaseRecord withState(StoredState other) {
    return with(status, evidence, other, facts);
  }

  /// Returns this case with its whole state in one piece, as [StateCodec] wrote it.
  public CaseRecord withState(byte[] whole) {
    return withState(new StoredState.Whole(whole));
  }

  /// Returns this case with other facts.
  public CaseRecord withFacts(CaseFacts other) {
    return with(status, evidence, state, other);
  }

  private CaseRecord with(
      CaseStatus newStatus, String newEvidence, StoredState newState, CaseFacts newFacts) {
    return new CaseRecord(
        caseId,
        revision,
        epoch,
        newStatus,
        workflow,
        startedMillis,
        changedMillis,
        dueMillis,
        receipts,
        terms,
        newEvidence,
        newState,
        newFacts);
  }

  /// Returns this case with other times.
  ///
  /// @param due [#NEVER] if there is no timer
  public CaseRecord withTimes(long started, long changed, long due) {
    return new CaseRecord(
        caseId, revision, epoch, status, workflow, started, changed, due, receipts, terms, evidence,
        state, facts);
  }

  /// Whether the facts differ from those of the revision before.
  ///
  /// @param before null if there is none
  public boolean hasOtherFacts(@Nullable CaseRecord before) {
    return facts != (before == null ? CaseFacts.NONE : before.facts);
  }

  /// Encodes everything but the id, which is the key.
  public byte[] encode() {
    Encoder out = new Encoder();
    write(out);
    return out.toBytes();
  }

  /// As [#encode], appended to an encoder.
  public void write(Encoder out) {
    boolean isWhole = state instanceof StoredState.Whole;
    out.octet((isWhole ? WHOLE : HEAD) | (facts.isEmpty() ? 0 : WITH_FACTS));
    out.octet(status.number());
    out.natural(revision);
    out.natural(epoch);
    out.text(workflow);
    out.whole(startedMillis);
    out.whole(changedMillis - startedMillis);
    out.whole(dueMillis == NEVER ? -1 : dueMillis);
    out.natural(receipts.count());
    if (receipts.count() > 0) {
      out.raw(receipts.head());
    }
    out.natural(terms.length());
    out.raw(terms);
    out.text(evidence);
    switch (state) {
      case StoredState.Whole(var bytes) -> {
        out.natural(bytes.length);
        out.raw(bytes);
      }
      case StoredState.Head head -> {
        out.fixed(head.program().high());
        out.fixed(head.program().low());
        head.sum().write(out);
        out.natural(revision - head.base());
        out.natural(revision - head.kept());
        out.natural(head.bytes());
        out.natural(head.journal() == 0 ? 0 : revision - head.journal() + 1);
      }
    }
    if (!facts.isEmpty()) {
      facts.write(out);
    }
  }

  /// Decodes a record. Throws `DamagedBytes` if the bytes are not those of this case.
  public static CaseRecord decode(String caseId, byte[] bytes) {
    return read(caseId, new Decoder(bytes));
  }

  /// As [#decode], from the position of the decoder to its end.
  public static CaseRecord read(String caseId, Decoder in) {
    int format = in.octet();
    boolean hasFacts = (format & WITH_FACTS) != 0;
    int plain = format & ~WITH_FACTS;
    if (plain < WHOLE || plain > HEAD) {
      throw new Decoder.DamagedBytes(
          "case " + caseId + " has format " + format + ", which this version does not read");
    }
    CaseStatus status = in.oneOf(CaseStatus.byNumber());
    if (status == CaseStatus.CORRUPT) {
      throw in.damaged("the status of a case");
    }
    long revision = in.natural();
    long epoch = in.natural();
    String workflow = in.text();
    long started = in.whole();
    long changed = started + in.whole();
    long due = in.whole();
    long count = in.natural();
    ReceiptChain chain =
        count == 0 ? ReceiptChain.EMPTY : new ReceiptChain(count, Bytes.of(in.raw(HASH_BYTES)));
    Bytes terms = Bytes.of(in.raw(in.count()));
    String evidence = in.text();
    StoredState state =
        plain == WHOLE ? new StoredState.Whole(in.raw(in.count())) : head(in, revision, plain);
    CaseFacts facts = hasFacts ? CaseFacts.read(in) : CaseFacts.NONE;
    in.requireEnd();
    return new CaseRecord(
        caseId,
        revision,
        epoch,
        status,
        workflow,
        started,
        changed,
        due < 0 ? NEVER : due,
        chain,
        terms,
        evidence,
        state,
        facts);
  }

  /// The way to the records is set by the store.
  private static StoredState.Head head(Decoder in, long revision, int format) {
    ProgramHash program = new ProgramHash(in.fixed(), in.fixed());
    Sum sum = Sum.read(in);
    long base = revision - in.natural();
    long kept = revision - in.natural();
    long last = in.natural();
    long journal = format <= SIZED ? 0 : in.natural();
    return new StoredState.Head(
        program,
        sum,
        base,
        kept,
        format == MIDDLE ? 0 : last,
        journal == 0 ? 0 : revision - journal + 1,
        () -> {
          throw new Decoder.DamagedBytes("the records of the state are missing");
        });
  }
}
