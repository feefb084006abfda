package dev.damask.store;

import dev.damask.effect.ReceiptChain;
import dev.damask.exec.StateCodec;
import dev.damask.program.ProgramHash;
import dev.damask.value.Bytes;
import dev.damask.value.Decoder;
import dev.damask.value.Encoder;

/// A case as it is kept: one revision, whole.
///
/// @param revision from 1, one more with every commit
/// @param epoch of the engine that wrote it
/// @param changedMillis when it was written
/// @param dueMillis when its next timer is due; [#NEVER] when there is none
/// @param terms what the engine has agreed with this case alone; the store does not look inside
/// @param evidence why it was put aside; empty when it was not
/// @param state what [StateCodec] wrote
@SuppressWarnings("ArrayRecordComponent") // states are compared as bytes where they are compared
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
    byte[] state) {
  public static final long NEVER = Long.MAX_VALUE;

  private static final int FORMAT = 1;
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
        state);
  }

  /// The program the case is pinned to.
  public ProgramHash program() {
    return StateCodec.programOf(state);
  }

  /// Everything but the id, which is the key.
  public byte[] encode() {
    Encoder out = new Encoder();
    write(out);
    return out.toBytes();
  }

  /// As [#encode], behind what has been written before.
  public void write(Encoder out) {
    out.octet(FORMAT);
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
    out.natural(state.length);
    out.raw(state);
  }

  public static CaseRecord decode(String caseId, byte[] bytes) {
    return read(caseId, new Decoder(bytes));
  }

  /// As [#decode], from where the decoder stands to its end.
  public static CaseRecord read(String caseId, Decoder in) {
    int format = in.octet();
    if (format != FORMAT) {
      throw new Decoder.DamagedBytes(
          "case " + caseId + " has format " + format + ", this version reads format " + FORMAT);
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
    byte[] state = in.raw(in.count());
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
        state);
  }
}
