package dev.damask.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.server.ServedEngine.Answer;
import dev.damask.value.Context;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Which cases have which version, and where they stand.
@Timeout(60)
final class VersionsTest {
  private ServedEngine served;

  @BeforeEach
  void open() {
    served = ServedEngine.inMemory();
  }

  @AfterEach
  void close() {
    served.close();
  }

  @Test
  void cases_are_listed_and_counted_by_the_version_of_their_workflow() {
    Object old = served.get(served.admin, "/v1/workflows/order").at("program");
    served.register(ServedEngine.ORDER.replace("thank", "greet"));
    served.start("order", "order-new", Context.empty());

    Answer list = served.get(served.viewer, "/v1/workflows");
    int own = 0;
    while (!"order".equals(list.at("items." + own + ".workflow"))) {
      own++;
    }
    Object present = list.at("items." + own + ".versions.0.program");
    Answer before = served.get(served.viewer, "/v1/cases?workflow=order&program=" + old);
    Answer after = served.get(served.viewer, "/v1/cases?workflow=order&program=" + present);

    assertThat(list.at("items." + own + ".versions.0.current")).isEqualTo(true);
    assertThat(list.at("items." + own + ".versions.1.program")).isEqualTo(old);
    assertThat(before.at("counts.WAITING")).as(before.text()).isEqualTo(6L);
    assertThat(after.at("items.0.id")).isEqualTo("order-new");
    assertThat(after.at("items.1")).isNull();
    assertThat(after.at("counts.WAITING")).isEqualTo(1L);
    assertThat(served.get(served.viewer, "/v1/cases?program=" + old + "&text=order-").text())
        .contains("order-1")
        .doesNotContain("order-new");
    assertThat(served.get(served.viewer, "/v1/cases?program=soon").status()).isEqualTo(400);
  }

  @Test
  void a_step_with_more_cases_than_are_counted_has_a_number_and_a_sign() {
    for (int i = 0; i < 1_001; i++) {
      served.start("covertplan", "many-" + i, Context.empty());
    }

    Answer shown = served.get(served.viewer, "/v1/workflows/covertplan");
    Answer few = served.get(served.viewer, "/v1/workflows/kaputt");

    assertThat(shown.at("standing.0.count")).as(shown.text()).isEqualTo(1_000L);
    assertThat(shown.at("standing.0.more")).isEqualTo(true);
    assertThat(few.at("standing.0.count")).isEqualTo(1L);
    assertThat(few.at("standing.0.more")).isEqualTo(false);
  }

  @Test
  void a_text_and_a_condition_find_cases_by_their_id() {
    Answer found =
        served.get(served.admin, "/v1/cases?text=order-&where=customer%20%3D%20%27acme%27");

    assertThat(found.at("items.5.id")).as(found.text()).isNotNull();
    assertThat(
            served
                .get(served.admin, "/v1/cases?text=order-&where=customer%20%3D%20%27zeta%27")
                .at("items"))
        .isEqualTo(java.util.List.of());
  }
}
