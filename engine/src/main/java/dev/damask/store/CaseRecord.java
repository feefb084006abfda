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

/// The head of a case: what its last revision is, and the way to its state.
///
/// @param revision from 1, one more with every commit
/// @param epoch of the engine that wrote it
/// @param changedMillis when it was written
/// @param dueMillis when its next timer is due; [#NEVER] when there is none
/// @param terms what the engine has agreed with this case alone; the store does not look inside
/// @param evidence why it was put aside; empty when it was not
/// @param state of the machine
/// @param facts what the case can be found by
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
  /// A case that is found by nothing but its id, workflow, status and start.
  public CaseRecord(
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
      StoredState state) {
    this(
        caseId,
        revision,
        epoch,
        status,
        workflow,
        startedMillis,
        changedMillis,
        dueMillis,
        receipts,
        terms,
        evidence,
        state,
        CaseFacts.NONE);
  }

  /// A case with its whole state in one piece, as [StateCodec] wrote it.
  public CaseRecord(
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
      byte[] state) {
    this(
        caseId,
        revision,
        epoch,
        status,
        workflow,
        startedMillis,
        changedMillis,
        dueMillis,
        receipts,
        terms,
        evidence,
        new StoredState.Whole(state));
  }

  public static final long NEVER = Long.MAX_VALUE;

  /// The format with the whole state, and the one whose state is stored apart.
  private static final int WHOLE = 1;

  /// The format that has the base up to which the past would go next, and not yet its size.
  private static final int MIDDLE = 2;

  /// The format that does not say since when there is a journal.
  private static final int SIZED = 3;

  private static final int HEAD = 4;

  /// Added to the format if the facts are at the end, which they are only if there are any.
  private static final int WITH_FACTS = 8;

  private static final int HASH_BYTES = 32;

  /// What a list shows in the place of a case that cannot be read: its id, when it started, and
  /// why.
  public static CaseRecord corrupt(String caseId, long startedMillis, String evidence) {
    return new CaseRecord(
        caseId,
        0,
        0,
        CaseStatus.CORRUPT,
        "",
        startedMillis,
        startedMillis,
        NEVER,
        ReceiptChain.EMPTY,
        Bytes.of(),
        evidence,
        new byte[0]);
  }

  /// The same case, shown as one that cannot be read.
  public CaseRecord asCorrupt(String why) {
    return new CaseRecord(
        caseId,
        revision,
        epoch,
        CaseStatus.CORRUPT,
        workflow,
        startedMillis,
        changedMillis,
        dueMillis,
        receipts,
        terms,
        why,
        state,
        CaseFacts.NONE);
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

  /// The same case with another state.
  public CaseRecord withState(StoredState other) {
    return new CaseRecord(
        caseId,
        revision,
        epoch,
        status,
        workflow,
        startedMillis,
        changedMillis,
        dueMillis,
        receipts,
        terms,
        evidence,
        other,
        facts);
  }

  /// Whether the facts differ from those of the revision before.
  ///
  /// @param before null if there is none
  public boolean hasOtherFacts(@Nullable CaseRecord before) {
    return facts != (before == null ? CaseFacts.NONE : before.facts);
  }

  /// The same case with other facts.
  public CaseRecord withFacts(CaseFacts other) {
    return new CaseRecord(
        caseId,
        revision,
        epoch,
        status,
        workflow,
        startedMillis,
        changedMillis,
        dueMillis,
        receipts,
        terms,
        evidence,
        state,
        other);
  }

  /// Everything but the id, which is the key.
  public byte[] encode() {
    Encoder out = new Encoder();
    write(out);
    return out.toBytes();
  }

  /// As [#encode], behind what has been written before.
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

  /// As [#decode], from where the decoder stands to its end.
  public static CaseRecord read(String caseId, Decoder in) {
    int format = in.octet();
    boolean hasFacts = (format & WITH_FACTS) != 0;
    int plain = format & ~WITH_FACTS;
    if (plain < WHOLE || plain > HEAD) {
      throw new Decoder.DamagedBytes(
          "case " + caseId + " has format " + format + ", which this version does not read");
    }
    CaseStatus status = CaseStatus.byNumber().get(in.below(CaseStatus.CORRUPT.number()));
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
