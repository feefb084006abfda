package dev.damask.task;

import static dev.damask.term.Flow.effect;
import static dev.damask.term.Flow.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.compile.Compiler;
import dev.damask.program.ProgramHash;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

final class RetryExceptTest {
  @Test
  void a_reason_that_is_excepted_is_not_covered() {
    Retry retry = Retry.exponential(3).except("refused").except(TimeoutException.class);

    assertThat(retry.covers("busy")).isTrue();
    assertThat(retry.covers("refused")).isFalse();
    assertThat(retry.covers("TimeoutException")).isFalse();
    assertThat(retry.onNotSent().covers("busy")).isFalse();
  }

  private static ProgramHash hash(Retry retry) {
    return Compiler.compile(workflow("w", effect("a").retry(retry))).hash();
  }

  @Test
  void the_excepted_reasons_are_part_of_the_program() {
    assertThat(hash(Retry.exponential(3).except("refused")))
        .isNotEqualTo(hash(Retry.exponential(3)))
        .isNotEqualTo(hash(Retry.exponential(3).except("other")))
        .isEqualTo(hash(Retry.exponential(3).except("refused")));
  }
}
