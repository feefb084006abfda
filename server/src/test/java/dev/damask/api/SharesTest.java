package dev.damask.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class SharesTest {
  private static final Caller ANNA = Caller.of("anna", Role.OPERATOR);
  private static final Caller BERT = Caller.of("bert", Role.OPERATOR);

  private static void refused(Shares shares, Caller caller, String why) {
    assertThatThrownBy(() -> shares.take(caller))
        .isInstanceOfSatisfying(
            Problem.class, e -> assertThat(e.kind()).isEqualTo(Problem.Kind.TOO_MANY))
        .hasMessageContaining(why);
  }

  @Test
  void a_token_leaves_a_quarter_of_the_places_to_the_others() {
    Shares shares = new Shares("streams are open", 8);
    for (int i = 0; i < 6; i++) {
      shares.take(ANNA);
    }

    refused(shares, ANNA, "too many streams are open for one token, at most 6");
    shares.take(BERT);
    shares.take(BERT);
    refused(shares, BERT, "too many streams are open; try again later");
    shares.release(ANNA);
    shares.take(BERT);
    refused(shares, ANNA, "too many streams are open; try again later");
    assertThat(shares.used()).isEqualTo(8);
  }

  @Test
  void places_that_were_given_back_are_free() {
    Shares shares = new Shares("streams are open", 1);
    for (int i = 0; i < 100; i++) {
      shares.take(ANNA);
      shares.release(ANNA);
    }

    assertThat(shares.used()).isZero();
    shares.take(BERT);
    refused(shares, ANNA, "too many");
  }
}
