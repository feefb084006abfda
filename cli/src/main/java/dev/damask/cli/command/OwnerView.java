package dev.damask.cli.command;

import dev.damask.api.AnswerRedaction;
import dev.damask.api.Caller;
import dev.damask.api.Role;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What a server would answer, as the owner of a store sees it: nothing is hidden.
public final class OwnerView {
  private static final AnswerRedaction NONE = new AnswerRedaction(_ -> Set.of(), _ -> Set.of());
  private static final Caller OWNER = Caller.of("owner", Role.ADMIN);

  private OwnerView() {}

  /// Returns an object with the data that it marks as confidential.
  public static Map<String, @Nullable Object> plain(Map<String, @Nullable Object> object) {
    Map<String, @Nullable Object> all = new LinkedHashMap<>();
    object.forEach((name, value) -> all.put(name, NONE.seen(OWNER, value).value()));
    return all;
  }
}
