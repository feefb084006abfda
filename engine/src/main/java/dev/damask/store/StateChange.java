package dev.damask.store;

import dev.damask.exec.StateRecords;
import dev.damask.value.Decoder;
import dev.damask.value.Decoder.DamagedBytes;
import dev.damask.value.Encoder;
import dev.damask.value.SharedValue;
import dev.damask.value.Sum;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;

/// How a commit changes the stored state of its case.
///
/// @param record the base or delta of the revision
/// @param added values to store under their hashes
/// @param removed values that no record refers to any more
/// @param kept the oldest revision that stays; the records before it are removed
public record StateChange(
    boolean isBase, Stored record, List<SharedValue> added, List<Sum> removed, long kept) {
  public StateChange {
    added = List.copyOf(added);
    removed = List.copyOf(removed);
  }

  /// How many bytes are written.
  public long bytes() {
    long sum = record.bytes().length;
    for (SharedValue value : added) {
      sum += value.bytes().length;
    }
    return sum;
  }

  /// A base or delta with the case and the revision it belongs to, and a checksum.
  @SuppressWarnings("ArrayRecordComponent") // compared as bytes where it is compared
  public record Stored(byte[] bytes) {
    private static final int CHECKSUM_BYTES = 4;

    /// Creates the stored form of a record of a case.
    public static Stored of(String caseId, long revision, byte[] content) {
      Encoder out = new Encoder(16 + 2 * caseId.length() + content.length);
      out.text(caseId);
      out.natural(revision);
      out.raw(content);
      int sum = checksum(out.array(), out.length());
      for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
        out.octet(sum >>> shift);
      }
      return new Stored(out.toBytes());
    }

    private static int checksum(byte[] bytes, int end) {
      CRC32C crc = new CRC32C();
      crc.update(bytes, 0, end);
      return (int) crc.getValue();
    }

    /// The metadata of the record, without a check of its bytes. Throws [DamagedBytes] if it cannot
    /// be read at all.
    @SuppressWarnings("exports") // the state is for our own modules
    public StateRecords.Header header() {
      Decoder in = new Decoder(bytes, 0, Math.max(0, bytes.length - CHECKSUM_BYTES));
      in.text();
      in.natural();
      return StateRecords.header(in);
    }

    /// What the log wrote. Throws [DamagedBytes] if the bytes are corrupt or belong to another case
    /// or revision.
    public byte[] content(String caseId, long revision) {
      int end = bytes.length - CHECKSUM_BYTES;
      int stored = 0;
      for (int i = 0; end >= 0 && i < CHECKSUM_BYTES; i++) {
        stored |= (bytes[end + i] & 0xFF) << (Byte.SIZE * i);
      }
      if (end < 0 || checksum(bytes, end) != stored) {
        throw new DamagedBytes(
            "revision " + revision + ": checksum mismatch, its record is corrupt");
      }
      Decoder in = new Decoder(bytes, 0, end);
      String owner = in.text();
      long number = in.natural();
      if (!owner.equals(caseId) || number != revision) {
        throw new DamagedBytes(
            "revision " + revision + ": found the record of case " + owner + " revision " + number);
      }
      return Arrays.copyOfRange(bytes, in.position(), end);
    }
  }
}
