package dev.damask.intake;

import dev.damask.effect.EffectIntent;
import dev.damask.exec.StateImage;
import dev.damask.exec.StateLog;
import dev.damask.store.CaseRecord;
import dev.damask.value.Decoder;
import dev.damask.value.Encoder;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The cases of a shard that have waited longest, each as one piece of bytes: its record, its open
/// effects and the image of its state (ADR 0029). A frozen case has nothing that is not durable, so
/// it may be dropped at any time.
public final class FrozenCases {
  /// The weight up to which a state is frozen. Larger ones take longer to write and read than the
  /// bytes that are saved are worth.
  public static final int WEIGHT_MAX = 4_096;

  /// Creates a case from its record, its open effects and the image of its state.
  public interface Thawing<T> {
    /// Returns the case.
    T thaw(CaseRecord record, List<EffectIntent> intents, byte[] image);
  }

  private final LinkedHashMap<String, byte[]> frozen = new LinkedHashMap<>();

  /// The number of frozen cases.
  public int size() {
    return frozen.size();
  }

  /// The size of all frozen cases.
  public long bytes() {
    return frozen.values().stream().mapToLong(each -> each.length).sum();
  }

  /// Whether a case is frozen.
  public boolean contains(String caseId) {
    return frozen.containsKey(caseId);
  }

  /// Freezes a case. Returns false if it is too large or its state was changed.
  public boolean freeze(CaseRecord record, StateLog log, Collection<EffectIntent> intents) {
    if (log.weight() > WEIGHT_MAX) {
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
    out.natural(intents.size());
    intents.forEach(intent -> intent.sharing(false).write(out));
    out.raw(image);
    frozen.put(record.caseId(), out.toBytes());
    return true;
  }

  /// Returns a frozen case, or null if the case is not frozen. It stays here until it is removed.
  public <T> @Nullable T thaw(String caseId, Thawing<T> thawing) {
    byte[] bytes = frozen.get(caseId);
    if (bytes == null) {
      return null;
    }
    Decoder in = new Decoder(bytes);
    CaseRecord record = CaseRecord.decode(caseId, in.raw(in.count()));
    List<EffectIntent> intents = new ArrayList<>();
    for (int left = in.count(); left > 0; left--) {
      intents.add(EffectIntent.read(in, _ -> null).sharing(true));
    }
    return thawing.thaw(record, intents, in.raw(bytes.length - in.position()));
  }

  /// Drops a case.
  public void remove(String caseId) {
    frozen.remove(caseId);
  }

  /// Drops the cases whose ids match.
  public void removeIf(Predicate<String> isMeant) {
    frozen.keySet().removeIf(isMeant);
  }

  /// Drops the cases that were frozen first.
  public void drop(int count) {
    var all = frozen.keySet().iterator();
    for (int i = 0; i < count && all.hasNext(); i++) {
      all.next();
      all.remove();
    }
  }

  /// Drops all cases.
  public void clear() {
    frozen.clear();
  }
}
