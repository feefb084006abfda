package dev.damask.store.rocksdb;

import dev.damask.effect.Receipt;
import dev.damask.store.CaseCommit;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.Store.RevisionInputs;
import dev.damask.value.Decoder;
import dev.damask.value.Decoder.DamagedBytes;
import dev.damask.value.Encoder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

/// The small things that one commit of a case adds and no later commit changes, under one key: its
/// inputs, its part of the trace and its receipts. So an effect step inserts one key instead of
/// three. The checksum covers case and revision.
///
/// Large parts have their own keys, as all parts had before format 6.
///
/// @param journal the inputs as a `JournalPart` has them; empty if there are none
/// @param trace the part of the trace; empty if nothing was traced
/// @param receipts the stored forms of the receipts
@SuppressWarnings("ArrayRecordComponent") // never compared
record CommitRecord(byte[] journal, byte[] trace, List<byte[]> receipts) {
  /// Above this size, reading one kind of part would read too much of the others.
  static final int BYTES_MAX = 1_024;

  private static final int FORM = 1;
  private static final int CHECKSUM_BYTES = 4;
  private static final byte[] NOTHING = {};

  CommitRecord {
    receipts = List.copyOf(receipts);
  }

  /// Returns the parts of a commit that share a key; empty if they have their own keys.
  static CommitRecord of(CaseCommit commit) {
    CaseRecord record = commit.record();
    // The part of a case that still moves may be removed alone, when its trace has too many.
    boolean isTraced = commit.trace().length > 0 && record.status() != CaseStatus.RUNNING;
    byte[] journal = commit.journal().bytes();
    byte[] trace = isTraced ? commit.trace() : NOTHING;
    List<byte[]> receipts = new ArrayList<>();
    int bytes = journal.length + trace.length;
    if (commit.keys().isEmpty()) { // the receipt of a user's key is read by its number
      for (Receipt receipt : commit.receipts()) {
        byte[] stored = receipt.encode();
        receipts.add(stored);
        bytes += stored.length;
      }
    }
    int parts = (journal.length > 0 ? 1 : 0) + (trace.length > 0 ? 1 : 0) + receipts.size();
    return parts > 1 && bytes <= BYTES_MAX
        ? new CommitRecord(journal, trace, receipts)
        : new CommitRecord(NOTHING, NOTHING, List.of());
  }

  boolean isEmpty() {
    return journal.length == 0 && trace.length == 0 && receipts.isEmpty();
  }

  /// Writes the record into an empty encoder.
  void write(String caseId, long revision, Encoder out) {
    out.octet(FORM);
    add(out, journal);
    add(out, trace);
    out.natural(receipts.size());
    receipts.forEach(each -> add(out, each));
    int sum = checksum(caseId, revision, out.array(), out.length());
    for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
      out.octet(sum >>> shift);
    }
  }

  private static void add(Encoder out, byte[] part) {
    out.natural(part.length);
    out.raw(part);
  }

  private static int checksum(String caseId, long revision, byte[] bytes, int end) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, end);
    crc.update(Keys.record(caseId, revision));
    return (int) crc.getValue();
  }

  /// Reads what [#write] has written. Throws [DamagedBytes] if it is corrupt or belongs to another
  /// case or revision.
  static CommitRecord read(String caseId, long revision, byte[] bytes) {
    int end = bytes.length - CHECKSUM_BYTES;
    int stored = 0;
    for (int i = 0; end >= 0 && i < CHECKSUM_BYTES; i++) {
      stored |= (bytes[end + i] & 0xFF) << (Byte.SIZE * i);
    }
    if (end < 0 || checksum(caseId, revision, bytes, end) != stored) {
      throw new DamagedBytes(
          "revision " + revision + ": checksum mismatch, the record of its commit is corrupt");
    }
    Decoder in = new Decoder(bytes, 0, end);
    int form = in.octet();
    if (form != FORM) {
      throw new DamagedBytes(
          "revision %d: the record of its commit has form %d, this version reads form %d"
              .formatted(revision, form, FORM));
    }
    byte[] journal = in.raw(in.count());
    byte[] trace = in.raw(in.count());
    List<byte[]> receipts = new ArrayList<>();
    for (int left = in.count(); left > 0; left--) {
      receipts.add(in.raw(in.count()));
    }
    in.requireEnd();
    return new CommitRecord(journal, trace, receipts);
  }

  /// Passes the records of a case from one revision to another, both included.
  private static void each(
      Verification.Scan scan, String caseId, long from, long to, Action action) {
    scan.over(
        Keys.of(Keys.RECORD, caseId),
        Keys.record(caseId, from),
        (key, value) -> {
          long revision = Keys.revisionOf(key);
          if (revision <= to) {
            action.accept(revision, value);
          }
          return revision < to;
        });
  }

  @FunctionalInterface
  private interface Action {
    void accept(long revision, byte[] bytes);
  }

  /// Adds the inputs of records to those that have their own keys. A corrupt record takes the place
  /// of its inputs, which it is reported as.
  static void inputs(
      Verification.Scan scan, String caseId, long from, long to, Consumer<RevisionInputs> found) {
    each(
        scan,
        caseId,
        from,
        to,
        (revision, bytes) -> {
          byte[] inputs;
          try {
            inputs = read(caseId, revision, bytes).journal;
          } catch (DamagedBytes e) {
            inputs = bytes;
          }
          if (inputs.length > 0) {
            found.accept(new RevisionInputs(revision, inputs));
          }
        });
  }

  /// Adds the parts of the trace in records to those that have their own keys.
  static void traces(
      Verification.Scan scan, String caseId, long from, Consumer<RevisionInputs> found) {
    each(
        scan,
        caseId,
        from,
        Long.MAX_VALUE,
        (revision, bytes) -> {
          byte[] trace = read(caseId, revision, bytes).trace;
          if (trace.length > 0) {
            found.accept(new RevisionInputs(revision, trace));
          }
        });
  }

  /// Adds the receipts in records to those that have their own keys.
  static void receipts(Verification.Scan scan, String caseId, Consumer<byte[]> found) {
    each(
        scan,
        caseId,
        0,
        Long.MAX_VALUE,
        (revision, bytes) -> read(caseId, revision, bytes).receipts.forEach(found));
  }
}
