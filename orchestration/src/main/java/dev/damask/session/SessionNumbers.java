package dev.damask.session;

import dev.damask.cases.KeptCases;
import dev.damask.source.Address;
import dev.damask.store.Store;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The numbers of sessions, which count from 1 for each owner. Retention removes sessions, but
/// never the last one of an owner, so the greatest number in the store is the last that was given.
/// Every method may be called from any thread.
final class SessionNumbers {
  private final Store store;

  // The last numbers by the ids of the cases without their numbers; null until they were read.
  private @Nullable Map<String, Long> last;

  SessionNumbers(Store store) {
    this.store = store;
  }

  synchronized long next(String owner) {
    return 1 + last().getOrDefault(SessionKey.of(spelled(owner), 0).sequence(), 0L);
  }

  /// An owner as the store spells it: addresses are the same in any case.
  synchronized String spelled(String owner) {
    if (!Address.is(owner) || last().containsKey(SessionKey.of(owner, 0).sequence())) {
      return owner;
    }
    String wanted = SessionKey.of(owner, 0).sequence();
    for (String known : last().keySet()) {
      if (known.equalsIgnoreCase(wanted)) {
        return known.substring(wanted.indexOf(owner), wanted.indexOf(owner) + owner.length());
      }
    }
    return owner;
  }

  synchronized void given(String owner, long number) {
    last().merge(SessionKey.of(owner, 0).sequence(), number, Math::max);
  }

  private Map<String, Long> last() {
    Map<String, Long> known = last;
    if (known == null) {
      known = new HashMap<>();
      for (String id : store.ids(KeptCases.SESSION)) {
        int colon = id.lastIndexOf(':') + 1;
        known.merge(id.substring(0, colon), Long.parseLong(id.substring(colon)), Math::max);
      }
      last = known;
    }
    return known;
  }
}
