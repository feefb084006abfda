package dev.damask.task;

/// A condition on a context. The text is its name in listings, drawings and the program hash.
@FunctionalInterface
public interface Guard {
  boolean test(Context context);

  default String text() {
    return "java";
  }

  /// Gives a condition written in Java a name that people and the program hash see.
  static Guard named(String text, Guard guard) {
    return new Guard() {
      @Override
      public boolean test(Context context) {
        return guard.test(context);
      }

      @Override
      public String text() {
        return text;
      }
    };
  }
}
