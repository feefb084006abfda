package dev.damask.orchestration;

import java.util.regex.Pattern;

/// Which session: an owner and a number that counts the sessions of that owner from 1.
public record SessionKey(String owner, long number) {
  private static final String PREFIX = "session:";
  private static final int OWNER_MAX = 80;
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9._-]+");

  public static SessionKey of(String owner, long number) {
    return new SessionKey(owner, number);
  }

  /// The id of the case behind the session. An owner that no id can hold is named by its hash.
  public String caseId() {
    boolean plain =
        owner.length() <= OWNER_MAX && PLAIN.matcher(owner).matches() && !owner.startsWith("h-");
    return PREFIX + (plain ? owner : "h-" + Hash.of(owner)) + ":" + number;
  }

  /// Whether a case is a session.
  public static boolean isSession(String caseId) {
    return caseId.startsWith(PREFIX);
  }

  @Override
  public String toString() {
    return owner + "/" + number;
  }
}
