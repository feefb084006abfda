package dev.damask.store.postgres;

import static dev.damask.contract.TableContract.put;
import static dev.damask.contract.TableContract.row;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.contract.TableContract;
import dev.damask.store.Store;
import dev.damask.store.StoreException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Rows by kind, key and version, in PostgreSQL.
@Timeout(60)
final class PostgresTableTest implements TableContract {
  private final PostgresOptions options = TestServer.schema();

  @Override
  public Store open() {
    return PostgresStore.open(TestServer.source(), options);
  }

  @Test
  void a_changed_row_is_corrupt_and_verification_names_it() {
    try (Store store = open()) {
      put(store, row("s", "eve", 1, "x"), row("s", "eve", 2, "y"), row("s", "bob", 1, ""));
      assertThat(store.verify()).isEmpty();

      TestServer.execute(
          "update %s.rows set bytes = '\\x07' where version = 2".formatted(options.schema()));
      TestServer.execute(
          "update %s.rows set key = '\\xff' where key = 'bob'".formatted(options.schema()));

      assertThat(store.verify())
          .satisfiesExactlyInAnyOrder(
              problem -> assertThat(problem).contains("s 'eve' version 2").contains("corrupt"),
              problem -> assertThat(problem).contains("version 1").contains("corrupt"));
      assertThat(store.table().find("s", "eve", 1)).isPresent();
      assertThatThrownBy(() -> store.table().find("s", "eve", 2))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("checksum mismatch");
    }
  }
}
