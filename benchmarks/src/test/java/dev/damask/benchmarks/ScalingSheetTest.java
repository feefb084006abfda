package dev.damask.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.benchmarks.ScalingSheet.Constants;
import dev.damask.benchmarks.ScalingSheet.Load;
import dev.damask.benchmarks.ScalingSheet.Need;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/// The arithmetic of the sheet, and its example in the page.
final class ScalingSheetTest {
  @Test
  void a_load_is_computed_from_the_constants() {
    Constants measured = new Constants(100, 500, 1_000, 2_000, 400);

    Need need = ScalingSheet.need(new Load(86_400, 5, 50, 2, 8, 10), measured);

    assertThat(need.stepsPerSecond()).isEqualTo(50);
    assertThat(need.nodes()).isEqualTo(2);
    assertThat(need.primaryShare()).isEqualTo(0.1);
    assertThat(need.diskBytes()).isEqualTo(86_400 * 5.0 * 10 * 1_100 + 86_400 * 2.0 * 400);
    assertThat(need.walBytesPerDay()).isEqualTo(86_400 * 5.0 * 2_100);
    assertThat(need.networkBytesPerSecond()).isEqualTo(50 * (2_100 + 1_100.0));
  }

  @Test
  void a_load_that_is_not_complete_is_refused() {
    assertThatThrownBy(() -> Load.parse("1", "2"))
        .hasMessageStartingWith("expected CASES_PER_DAY")
        .hasMessageEndingWith("got 2 arguments");
    assertThatThrownBy(() -> Load.parse("1", "2", "3", "4", "5", "-1"))
        .hasMessage("'-1': must not be negative");
  }

  @Test
  void the_page_shows_what_the_sheet_prints() throws IOException {
    String page = Files.readString(Path.of("../docs/scaling.md"));

    ScalingSheet.lines(
            ScalingSheet.need(
                Load.parse("100000", "8", "500", "3", "30", "10"), ScalingSheet.MEASURED))
        .forEach(line -> assertThat(page).contains(line));
  }
}
