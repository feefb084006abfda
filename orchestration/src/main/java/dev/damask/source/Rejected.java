package dev.damask.source;

import java.util.List;

/// A document cannot be used. The message is the first thing that is wrong with it.
public final class Rejected extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient List<Notice> notices;

  public Rejected(String document, List<Notice> notices) {
    super(message(document, notices), null, false, false);
    this.notices = List.copyOf(notices);
  }

  private static String message(String document, List<Notice> notices) {
    long errors = notices.stream().filter(Notice::isError).count();
    String first =
        notices.stream().filter(Notice::isError).findFirst().map(Notice::toString).orElse("");
    return document + ": " + first + (errors > 1 ? " (and " + (errors - 1) + " more)" : "");
  }

  /// Everything that was found, warnings included.
  public List<Notice> notices() {
    return notices == null ? List.of() : notices;
  }
}
