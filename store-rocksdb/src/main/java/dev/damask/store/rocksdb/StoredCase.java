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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
    Map<EffectId, EffectIntent> open = new LinkedHashMap<>();
    if (before != null) {
      before.near.forEach(intent -> open.put(intent.id(), intent));
    }
    commit.intentsRemoved().forEach(open::remove);
    commit.intentsAdded().forEach(intent -> open.put(intent.id(), intent));
    return new StoredCase(commit.record(), List.copyOf(open.values()), open.size() > NEAR_MAX);
  }

  /// Whether the case is marked as one with open effects.
  boolean isMarked() {
    return !isFar && !near.isEmpty();
  }

  byte[] encode() {
    Encoder out = new Encoder();
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
    return out.toBytes();
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
