package dev.damask.store.rocksdb;

import dev.damask.effect.EffectIntent;
import dev.damask.store.CaseCommit;
import dev.damask.store.CaseRecord;
import dev.damask.task.Decoder;
import dev.damask.task.EffectId;
import dev.damask.task.Encoder;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/// The value of a case: its record, and with it the few intents that are usually open. An effect
/// then costs the store two values, the case and the receipt. A case that once had many effects
/// open at the same time keeps each intent under a key of its own from then on, so that a result
/// does not write all others again.
///
/// @param near the open intents; when they have keys of their own, those that want one now
record StoredCase(CaseRecord record, List<EffectIntent> near, boolean isFar) {
  static final int NEAR_MAX = 8;

  private static final int FAR = 0;

  /// What the store has of a case after a commit.
  static StoredCase after(@Nullable StoredCase before, CaseCommit commit) {
    if (before != null && before.isFar) {
      return new StoredCase(commit.record(), commit.intentsAdded(), true);
    }
    if (commit.intentsAdded().isEmpty() && commit.intentsRemoved().isEmpty()) {
      return new StoredCase(commit.record(), before == null ? List.of() : before.near, false);
    }
    List<EffectIntent> open = new ArrayList<>(before == null ? List.of() : before.near);
    open.removeIf(intent -> commit.intentsRemoved().contains(intent.id()));
    for (EffectIntent intent : commit.intentsAdded()) {
      int at = indexOf(open, intent.id());
      if (at < 0) {
        open.add(intent);
      } else {
        open.set(at, intent);
      }
    }
    return new StoredCase(commit.record(), List.copyOf(open), open.size() > NEAR_MAX);
  }

  /// Looks among the first few, as no more can have been there before.
  private static int indexOf(List<EffectIntent> open, EffectId effect) {
    for (int i = 0; i < Math.min(open.size(), NEAR_MAX); i++) {
      if (open.get(i).id().equals(effect)) {
        return i;
      }
    }
    return -1;
  }

  /// Whether the case is marked as one with open effects.
  boolean isMarked() {
    return !isFar && !near.isEmpty();
  }

  /// The value, into an encoder that holds nothing else.
  void write(Encoder out) {
    if (isFar) {
      out.natural(FAR);
    } else {
      out.natural(near.size() + 1);
      for (EffectIntent intent : near) {
        intent.write(out);
      }
    }
    record.write(out);
    CRC32C crc = new CRC32C();
    out.addTo(crc);
    int sum = (int) crc.getValue();
    for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
      out.octet(sum >>> shift);
    }
  }

  private static int checksum(byte[] bytes, int end) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, end);
    return (int) crc.getValue();
  }

  static StoredCase decode(String caseId, byte[] bytes) {
    int end = bytes.length - Integer.BYTES;
    if (end < 0 || checksum(bytes, end) != stored(bytes, end)) {
      throw new Decoder.DamagedBytes("the checksum of the case is wrong: its bytes are damaged");
    }
    Decoder in = new Decoder(bytes, 0, end);
    int count = in.below(NEAR_MAX + 2);
    List<EffectIntent> near = new ArrayList<>();
    for (int i = 1; i < count; i++) {
      near.add(EffectIntent.read(in));
    }
    return new StoredCase(CaseRecord.read(caseId, in), near, count == FAR);
  }

  private static int stored(byte[] bytes, int from) {
    return ByteBuffer.wrap(bytes, from, Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN).getInt();
  }
}
