package dev.damask.store.rocksdb;

import dev.damask.effect.EffectIntent;
import dev.damask.store.CaseCommit;
import dev.damask.store.CaseRecord;
import dev.damask.store.StoredState;
import dev.damask.task.EffectId;
import dev.damask.value.Decoder;
import dev.damask.value.Encoder;
import dev.damask.value.SharedValue;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/// The value of a case: its record and its few open intents. So an effect writes two values, the
/// case and the receipt. Once a case has had many open effects at the same time, each of its
/// intents is stored under a separate key, so that a result does not write all others again.
///
/// @param near the open intents; if they have separate keys, the intents that must be written now
record StoredCase(CaseRecord record, List<EffectIntent> near, boolean isFar) {
  static final int NEAR_MAX = 8;

  private static final int FAR = 0;

  /// Added to the number of intents where the checksum covers the id of the case.
  private static final int WITH_ID = 16;

  /// Returns the stored form of a case after a commit.
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

  /// Returns the index of an intent. The list is short, because only a few intents are stored with
  /// a case.
  private static int indexOf(List<EffectIntent> open, EffectId effect) {
    for (int i = 0; i < Math.min(open.size(), NEAR_MAX); i++) {
      if (open.get(i).id().equals(effect)) {
        return i;
      }
    }
    return -1;
  }

  /// Returns a copy without the state, which may be large. The next commit is checked against it.
  StoredCase withoutState() {
    return record.state() instanceof StoredState.Whole
        ? new StoredCase(record.withState(new StoredState.Whole(new byte[0])), near, isFar)
        : this;
  }

  /// Returns whether the case is in the index of cases with open effects.
  boolean isMarked() {
    return !isFar && !near.isEmpty();
  }

  /// Writes the value into an empty encoder. The checksum covers the id of the case, unless the
  /// value has the whole state, as before format 5.
  void write(Encoder out) {
    boolean isWhole = record.state() instanceof StoredState.Whole;
    int form = isWhole ? 0 : WITH_ID;
    if (isFar) {
      out.natural(form + FAR);
    } else {
      out.natural(form + near.size() + 1);
      for (EffectIntent intent : near) {
        intent.write(out);
      }
    }
    record.write(out);
    CRC32C crc = new CRC32C();
    out.addTo(crc);
    if (!isWhole) {
      crc.update(Keys.utf(record.caseId()));
    }
    int sum = (int) crc.getValue();
    for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
      out.octet(sum >>> shift);
    }
  }

  private static int checksum(String caseId, byte[] bytes, int end) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, end);
    if (end > 0 && bytes[0] >= WITH_ID) {
      crc.update(Keys.utf(caseId));
    }
    return (int) crc.getValue();
  }

  static StoredCase decode(String caseId, byte[] bytes, SharedValue.Source values) {
    int end = bytes.length - Integer.BYTES;
    if (end < 0 || checksum(caseId, bytes, end) != stored(bytes, end)) {
      throw new Decoder.DamagedBytes("checksum mismatch: the bytes of the case are corrupt");
    }
    Decoder in = new Decoder(bytes, 0, end);
    int first = in.below(WITH_ID + NEAR_MAX + 2);
    int count = first >= WITH_ID ? first - WITH_ID : first;
    if (count > NEAR_MAX + 1) {
      throw in.damaged("a case has no such form");
    }
    List<EffectIntent> near = new ArrayList<>();
    for (int i = 1; i < count; i++) {
      near.add(EffectIntent.read(in, values));
    }
    return new StoredCase(CaseRecord.read(caseId, in), near, count == FAR);
  }

  private static int stored(byte[] bytes, int from) {
    return ByteBuffer.wrap(bytes, from, Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN).getInt();
  }
}
