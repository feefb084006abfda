package dev.damask.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.server.ServedEngine.Answer;
import dev.damask.value.Context;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A redacted value is copied to wherever the engine copies values; no view of a viewer has it.
@Timeout(60)
final class RedactionTest {
  private static final String CANARY = "4711-canary";
  private static final String PAYS =
      """
      workflow: pays
      attributes:
        buyer: card
        shop: shop
      redact: [card, card number, assignee]
      do:
        - task: charge
          key: card
          effect: { type: charge, with: { assignee: "${card}" } }
        - task: book
          retry: { max: 1 }
          onExhausted: park
      """;

  private ServedEngine served;

  @BeforeEach
  void open() {
    served = ServedEngine.inMemory();
    served.register(PAYS);
    for (int i = 1; i <= 3; i++) {
      served.start(
          "pays",
          "pays-" + i,
          Context.of("card", CANARY, "card number", CANARY + "-n").with("shop", "acme"));
    }
  }

  @AfterEach
  void close() {
    served.close();
  }

  private void noneHas(List<String> paths) {
    for (String path : paths) {
      Answer viewer = served.get(served.viewer, path);
      assertThat(viewer.status()).as("%s %s", path, viewer.text()).isEqualTo(200);
      assertThat(viewer.text()).as(path).doesNotContain(CANARY);
    }
  }

  @Test
  void keys_assignees_and_attributes_with_other_names_are_hidden_from_viewers() {
    noneHas(
        List.of(
            "/v1/cases",
            "/v1/cases/pays-1",
            "/v1/cases/pays-1/summary",
            "/v1/tasks",
            "/v1/cases/pays-1/at/1"));

    assertThat(served.get(served.operator, "/v1/cases/pays-1").text()).contains(CANARY);
    assertThat(served.get(served.operator, "/v1/tasks?type=charge").at("items.0.assignee"))
        .isEqualTo(CANARY);
    assertThat(served.get(served.worker, "/v1/tasks?type=charge").at("items.0.assignee"))
        .isEqualTo(CANARY);
    assertThat(served.get(served.viewer, "/v1/tasks?assignee=" + CANARY).at("items"))
        .isEqualTo(List.of());
    assertThat(served.get(served.viewer, "/v1/cases").text()).contains("acme");
  }

  @Test
  void receipts_details_and_incidents_are_hidden_from_viewers() {
    var _ = served.engine.completeTask("pays-1", "charge", Map.of("ok", true));
    String claimed =
        "/v1/tasks/"
            + served
                .post(served.worker, "/v1/tasks/claim", "{\"types\":[\"book\"]}")
                .at("items.0.claim");
    Answer failed =
        served.post(
            served.worker,
            claimed + "/fail",
            "{\"reason\":\"refused\",\"detail\":\"card " + CANARY + " is blocked\"}");
    assertThat(failed.status()).as(failed.text()).isEqualTo(200);
    assertThat(served.get(served.operator, "/v1/incidents").text()).contains(CANARY);

    noneHas(
        List.of(
            "/v1/incidents",
            "/v1/cases",
            "/v1/cases/pays-1",
            "/v1/cases/pays-1/receipts",
            "/v1/cases/pays-1/summary"));
    assertThat(served.get(served.viewer, "/v1/receipts?type=charge&key=" + CANARY).status())
        .isEqualTo(404);
  }

  @Test
  void the_detail_of_a_failed_case_is_hidden_from_viewers() {
    served.register(PAYS.replace("    onExhausted: park\n", ""));
    served.start("pays", "pays-9", Context.of("card", CANARY, "shop", "acme"));
    var _ = served.engine.completeTask("pays-9", "charge", Map.of("ok", true));
    String claimed =
        "/v1/tasks/"
            + served
                .post(served.worker, "/v1/tasks/claim", "{\"types\":[\"book\"]}")
                .at("items.0.claim");
    served.post(
        served.worker,
        claimed + "/fail",
        "{\"reason\":\"refused\",\"detail\":\"card " + CANARY + " is blocked\"}");
    assertThat(served.get(served.operator, "/v1/cases/pays-9").text()).contains("is blocked");

    Answer positions = served.get(served.viewer, "/v1/cases/pays-9/positions");
    noneHas(
        List.of(
            "/v1/cases/pays-9",
            "/v1/cases/pays-9/summary",
            "/v1/cases/pays-9/at/" + positions.at("total"),
            "/v1/cases/pays-9/states?from=1&to=" + positions.at("total"),
            "/v1/cases/pays-9/diff?from=1&to=" + positions.at("total")));
  }

  @Test
  void a_key_with_a_space_is_hidden_in_differences() {
    served.post(
        served.admin,
        "/v1/cases/pays-2/change",
        "{\"token\":"
            + served.get(served.admin, "/v1/cases/pays-2").at("tokens.0.token")
            + ",\"set\":{\"card number\":\""
            + CANARY
            + "-2\",\"shop\":\"zeta\"},\"reason\":\"moved\"}");
    Object last = served.get(served.viewer, "/v1/cases/pays-2/positions").at("total");
    String path = "/v1/cases/pays-2/diff?from=1&to=" + last;

    noneHas(List.of(path));
    assertThat(served.get(served.operator, path).text()).contains(CANARY + "-2");
    assertThat(served.get(served.viewer, path).text()).contains("zeta");
  }

  @Test
  void a_filter_on_a_redacted_attribute_is_refused_for_viewers() {
    String where = "/v1/cases?where=buyer%20starts%20with%20%274%27";

    assertThat(served.get(served.operator, where).at("counts.WAITING")).isEqualTo(3L);
    assertThat(served.get(served.viewer, where).status()).isEqualTo(403);
    assertThat(served.get(served.viewer, where + "&workflow=order").status()).isEqualTo(200);
    assertThat(
            served.get(served.viewer, "/v1/cases?where=shop%20%3D%20%27acme%27").at("items.0.id"))
        .isNotNull();
    assertThat(served.get(served.viewer, "/v1/cases?text=4711").at("items")).isEqualTo(List.of());
  }

  @Test
  void parents_and_children_of_other_workflows_do_not_exist_for_a_limited_token() {
    served.register("workflow: ordertree\ndo:\n  - child: covertplan\n    id: \"'covert-leaf'\"\n");
    served.register("workflow: coverttree\ndo:\n  - child: order\n    id: \"'order-leaf'\"\n");
    served.start("ordertree", "order-tree", Context.empty());
    served.start("coverttree", "covert-tree", Context.empty());
    while (served.get(served.admin, "/v1/cases/order-leaf").status() != 200
        || served.get(served.admin, "/v1/cases/covert-leaf").status() != 200) {
      Thread.onSpinWait();
    }

    for (String view : List.of("", "/family", "/summary", "/raw")) {
      for (String each : List.of("order-tree", "order-leaf")) {
        Answer answer = served.get(served.limited, "/v1/cases/" + each + view);
        assertThat(answer.status()).as("%s %s", view, answer.text()).isEqualTo(200);
      }
      assertThat(served.get(served.limited, "/v1/cases/order-leaf" + view).text())
          .as(view)
          .doesNotContain("covert-tree");
    }
    assertThat(served.get(served.limited, "/v1/cases/order-tree/family").at("children"))
        .isEqualTo(List.of());
    assertThat(served.get(served.admin, "/v1/cases/order-tree/family").at("children.0.id"))
        .isEqualTo("covert-leaf");
  }

  @Test
  void the_payloads_of_sessions_are_hidden_from_viewers() throws InterruptedException {
    String path = "/v1/sessions/" + served.startSession();

    assertThat(served.get(served.viewer, path).at("tree.0.payload"))
        .isEqualTo("\u2022\u2022\u2022");
    assertThat(served.get(served.operator, path).at("tree.0.payload")).isInstanceOf(Map.class);
  }
}
