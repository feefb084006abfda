package dev.damask.verify;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// The machine in all orders, the machine in fewer orders, the packed net in all orders and the
/// packed net in fewer orders say the same about workflows made by chance.
final class AgreementTest {
  private static final int COUNT = 20_000;

  @Test
  void engines_and_reductions_agree_on_random_terms_and_graphs() {
    long seed = Long.getLong("damask.seed", 1);
    Map<Agreement.Kind, Integer> counts = new EnumMap<>(Agreement.Kind.class);
    for (long each = seed; each < seed + COUNT; each++) {
      RandomTerms terms = new RandomTerms(each, each % 3 != 0);
      int size = 2 + (int) (each % (each % 3 != 0 ? 4 : 3));
      counts.merge(Agreement.compare("seed " + each, terms.workflow(size)), 1, Integer::sum);
    }

    System.out.println("agreement from seed " + seed + ": " + counts);
    assertThat(counts.getOrDefault(Agreement.Kind.SKIPPED, 0)).isLessThan(COUNT / 5);
    assertThat(counts.getOrDefault(Agreement.Kind.REFUTED, 0)).isGreaterThan(500);
    assertThat(counts.getOrDefault(Agreement.Kind.PACKED_REFUTED, 0)).isGreaterThan(500);
  }
}
