package dev.damask.cases;

import dev.damask.effect.EffectIntent;
import dev.damask.exec.StateImage;
import dev.damask.exec.StateLog;
import dev.damask.store.CaseRecord;
import dev.damask.value.Decoder;
import dev.damask.value.Encoder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The cases of a shard that have waited longest, each as one piece of bytes: its record, its open
/// effects and the image of its state (ADR 0029). A frozen case has nothing that is not durable, so
/// it may be dropped at any time.
final class FrozenCases {
  /// The weight up to which a state is frozen. Larger ones take longer to write and read than the
  /// bytes that are saved are worth.
  static final int WEIGHT_MAX = 4_096;

  /// Makes a case of its record, its open effects and the log of its state.
  interface Thawing {
    LiveCase thaw(CaseRecord record, List<EffectIntent> intents, byte[] image);
  }

  private final LinkedHashMap<String, byte[]> frozen = new LinkedHashMap<>();

  int size() {
    return frozen.size();
  }

  long bytes() {
    return frozen.values().stream().mapToLong(each -> each.length).sum();
  }

  boolean contains(String caseId) {
    return frozen.containsKey(caseId);
  }

  /// Freezes a case. Returns false if it is too large or its state was changed.
  boolean freeze(LiveCase each) {
    StateLog log = each.log();
    CaseRecord record = each.record;
    if (log == null || record == null || log.weight() > WEIGHT_MAX) {
      return false;
    }
    byte[] image = StateImage.of(log);
    if (image == null) {
      return false;
    }
    byte[] head = record.encode();
    Encoder out = new Encoder(head.length + image.length + 8);
    out.natural(head.length);
    out.raw(head);
    out.natural(each.intents.all().size());
    each.intents.all().forEach(intent -> intent.write(out));
    out.raw(image);
    frozen.put(each.id, out.toBytes());
    return true;
  }

  /// Returns a case that was frozen; null if it is not here. It stays until it is removed.
  @Nullable LiveCase thaw(String caseId, Thawing thawing) {
    byte[] bytes = frozen.get(caseId);
    if (bytes == null) {
      return null;
    }
    Decoder in = new Decoder(bytes);
    CaseRecord record = CaseRecord.decode(caseId, in.raw(in.count()));
    List<EffectIntent> intents = new ArrayList<>();
    for (int left = in.count(); left > 0; left--) {
      intents.add(EffectIntent.read(in));
    }
    return thawing.thaw(record, intents, in.raw(bytes.length - in.position()));
  }

  void remove(String caseId) {
    frozen.remove(caseId);
  }

  void removeIf(Predicate<String> isMeant) {
    frozen.keySet().removeIf(isMeant);
  }

  /// Drops the cases that were frozen first.
  void drop(int count) {
    var all = frozen.keySet().iterator();
    for (int i = 0; i < count && all.hasNext(); i++) {
      all.next();
      all.remove();
    }
  }

  void clear() {
    frozen.clear();
  }
}
