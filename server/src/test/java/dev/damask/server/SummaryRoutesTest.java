package dev.damask.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.damask.server.ServedEngine.Answer;
import dev.damask.value.Context;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The routes of the command line show no more than the other routes.
final class SummaryRoutesTest {
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
  void a_summary_has_everything_and_hides_what_the_workflow_redacts_from_viewers() {
    Answer admin = served.get(served.admin, "/v1/cases/order-1/summary");
    Answer viewer = served.get(served.viewer, "/v1/cases/order-1/summary");

    assertThat(admin.at("context.card")).isEqualTo("4711");
    assertThat(admin.at("receipts.0.result.kind")).isEqualTo("ok");
    assertThat(admin.at("receipts.0.result.data.parcel")).isEqualTo(7L);
    assertThat(admin.at("places.0")).isEqualTo("approved");
    assertThat(admin.text()).contains("oldestRevision", "\"trace\"");
    assertThat(viewer.status()).isEqualTo(200);
    assertThat(viewer.text()).doesNotContain("4711");
    assertThat(viewer.at("context.customer")).isEqualTo("acme");
    assertThat(served.get(served.limited, "/v1/cases/covert-1/summary").status()).isEqualTo(404);
    assertThat(served.get(served.admin, "/v1/cases/order-1/summary?revision=99").status())
        .isEqualTo(410);
  }

  @Test
  void a_recording_is_for_admins_and_is_logged() {
    assertThat(served.get(served.operator, "/v1/cases/order-1/recording").status()).isEqualTo(403);
    assertThat(served.get(served.admin, "/v1/cases/order-1/recording").status()).isEqualTo(200);

    assertThat(served.audit)
        .extracting(each -> each.action() + " " + each.outcome())
        .contains("GET /v1/cases/{case}/recording 200");
  }

  @Test
  void a_receipt_is_found_by_its_key_by_those_who_see_its_workflow() {
    served.register(
        """
        workflow: covertpay
        do:
          - task: pay
            key: invoice
        """);
    served.start("covertpay", "pay-1", Context.of("invoice", "i-7"));
    var _ = served.engine.completeTask("pay-1", "pay", Map.of("paid", true));
    String path = "/v1/receipts?type=pay&key=i-7";

    Answer found = served.get(served.viewer, path);

    assertThat(found.at("case")).as(found.text()).isEqualTo("pay-1");
    assertThat(found.at("receipt.result.data.paid")).isEqualTo(true);
    assertThat(served.get(served.limited, path).status()).isEqualTo(404);
    assertThat(served.get(served.viewer, "/v1/receipts?type=pay&key=i-8").status()).isEqualTo(404);
    assertThat(served.get(served.viewer, "/v1/receipts?type=pay").status()).isEqualTo(400);
  }

  @Test
  void a_list_has_notes_about_unknown_workflows_on_demand() {
    Answer noted = served.get(served.admin, "/v1/cases?notes=true");

    assertThat(noted.text()).contains("\"missingPrograms\"", "\"notIndexed\"");
    assertThat(served.get(served.admin, "/v1/cases").text()).doesNotContain("missingPrograms");
  }
}
