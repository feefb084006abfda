package dev.damask.program;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// The reduction rule an opcode stands for: its name in traces and in the reference page, and what
/// it does to the number of tokens, which the machine checks after each step under `-ea`.
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface Rule {
  String value();

  Tokens tokens() default Tokens.KEEPS;

  /// Whether it changes nothing but the address, so that the optimiser may step over it.
  boolean administrative() default false;

  /// What a reduction does to the number of tokens.
  enum Tokens {
    /// As many as before.
    KEEPS,
    /// One becomes one for each target.
    FORKS,
    /// The token may end here, and others may start or end in consequence.
    MOVES
  }
}
