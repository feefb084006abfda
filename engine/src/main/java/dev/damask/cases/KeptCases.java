package dev.damask.cases;

import dev.damask.store.Store;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Cases that retention never removes, because later work depends on them: the changes of a
/// registry of graphs and rules, and the last session of each owner, from which the number of the
/// next one follows.
public final class KeptCases {
  /// How the ids of registry changes begin.
  public static final String REGISTRY = "registry:";

  /// How the ids of sessions begin; the number of the session is what follows the last colon.
  public static final String SESSION = "session:";

  private static final Pattern NUMBERED =
      Pattern.compile("(" + SESSION + ".*:)([0-9]{1,18})", Pattern.DOTALL);

  private KeptCases() {}

  /// Whether a case belongs to an orchestration, whose programs come from its registry.
  public static boolean isOfOrchestration(String caseId) {
    return caseId.startsWith(REGISTRY) || caseId.startsWith(SESSION);
  }

  /// Whether a case has to stay. A session stays unless its successor exists, so the one with the
  /// greatest number always does.
  static boolean contains(Store store, String caseId) {
    if (caseId.startsWith(REGISTRY)) {
      return true;
    }
    Matcher numbered = NUMBERED.matcher(caseId);
    return numbered.matches()
        && store.record(numbered.group(1) + (Long.parseLong(numbered.group(2)) + 1)).isEmpty();
  }
}
