package dev.damask.store;

import dev.damask.effect.Receipt;
import dev.damask.value.Decoder.DamagedBytes;
import dev.damask.value.Encoder;
import dev.damask.value.SharedValue;
import dev.damask.value.Sum;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.CRC32C;

/// The inputs of one commit of a case, as a store keeps them.
///
/// @param bytes the inputs and a checksum that covers case and revision; empty if there is no part
/// @param values that the inputs and receipts of the commit refer to; they stay as long as the case
@SuppressWarnings("ArrayRecordComponent") // handed over, never compared
public record JournalPart(byte[] bytes, List<SharedValue> values) {
  /// No inputs are kept.
  public static final JournalPart NONE = new JournalPart(new byte[0], List.of());

  private static final int CHECKSUM_BYTES = 4;

  public JournalPart {
    values = List.copyOf(values);
  }

  /// Creates the part of a revision.
  public static JournalPart of(
      String caseId, long revision, Encoder content, List<SharedValue> values) {
    int sum = checksum(caseId, revision, content.array(), content.length());
    for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
      content.octet(sum >>> shift);
    }
    return new JournalPart(content.toBytes(), values);
  }

  private static int checksum(String caseId, long revision, byte[] bytes, int end) {
    Encoder owner = new Encoder(24);
    owner.text(caseId);
    owner.natural(revision);
    CRC32C crc = new CRC32C();
    crc.update(owner.array(), 0, owner.length());
    crc.update(bytes, 0, end);
    return (int) crc.getValue();
  }

  /// Returns the inputs without the checksum. Throws [DamagedBytes] if the bytes are corrupt or
  /// belong to another case or revision.
  public static byte[] content(String caseId, long revision, byte[] bytes) {
    int end = bytes.length - CHECKSUM_BYTES;
    int stored = 0;
    for (int i = 0; end >= 0 && i < CHECKSUM_BYTES; i++) {
      stored |= (bytes[end + i] & 0xFF) << (Byte.SIZE * i);
    }
    if (end < 0 || checksum(caseId, revision, bytes, end) != stored) {
      throw new DamagedBytes(
          "revision " + revision + ": checksum mismatch, its journal entry is corrupt");
    }
    return Arrays.copyOf(bytes, end);
  }

  /// Returns the part with the values of receipts and without those that the case has stored.
  ///
  /// @param stored the hashes of values that stay as long as the case
  public JournalPart with(List<Receipt> receipts, Set<Sum> stored) {
    Map<Sum, SharedValue> all = new LinkedHashMap<>();
    values.forEach(value -> all.put(value.hash(), value));
    for (Receipt receipt : receipts) {
      receipt.values().forEach(value -> all.put(value.hash(), value));
    }
    all.keySet().removeAll(stored);
    return all.size() == values.size() ? this : new JournalPart(bytes, List.copyOf(all.values()));
  }

  /// Returns whether a value is stored with the part.
  boolean has(SharedValue value) {
    for (SharedValue own : values) {
      if (own.hash().equals(value.hash())) {
        return true;
      }
    }
    return false;
  }

  /// Returns the values of a state that the part does not store already.
  public List<SharedValue> without(List<SharedValue> added) {
    return values.isEmpty() ? added : added.stream().filter(value -> !has(value)).toList();
  }
}
