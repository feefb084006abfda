package dev.damask.session;

import dev.damask.ops.KeptCases;
import dev.damask.source.Hash;
import dev.damask.step.StepScope;
import dev.damask.value.Context;
import java.util.Optional;
import java.util.regex.Pattern;

/// Which session: an owner and a number that counts the sessions of that owner from 1.
public record SessionKey(String owner, long number) {
  private static final String PREFIX = KeptCases.SESSION;
  private static final String HASHED = "h-";
  private static final int OWNER_MAX = 80;
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9._-]+");

  /// Returns the key of an owner's session.
  public static SessionKey of(String owner, long number) {
    return new SessionKey(owner, number);
  }

  /// Returns the session of a process.
  ///
  /// @param common the engine's keys in the context of the case
  public static SessionKey of(Context common) {
    return of(String.valueOf(common.get(StepScope.OWNER)), StepScope.session(common));
  }

  /// The id of the case behind the session. An owner that no id can hold is named by its hash.
  public String caseId() {
    return PREFIX + rowKey() + ":" + number;
  }

  /// Returns the part of the case id that names the owner, the key of the rows of the owner's
  /// sessions.
  String rowKey() {
    boolean plain =
        owner.length() <= OWNER_MAX && PLAIN.matcher(owner).matches() && !owner.startsWith(HASHED);
    return plain ? owner : HASHED + Hash.of(owner);
  }

  /// The session behind a case; empty if the case is none, or its id has the hash of the owner.
  static Optional<SessionKey> ofCase(String caseId) {
    int colon = caseId.lastIndexOf(':');
    if (!isSession(caseId) || colon < PREFIX.length()) {
      return Optional.empty();
    }
    String owner = caseId.substring(PREFIX.length(), colon);
    return owner.startsWith(HASHED)
        ? Optional.empty()
        : Optional.of(of(owner, Long.parseLong(caseId.substring(colon + 1))));
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
