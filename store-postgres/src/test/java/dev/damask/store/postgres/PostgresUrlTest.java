package dev.damask.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.damask.store.StoreException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

final class PostgresUrlTest {
  private static PGSimpleDataSource source(PostgresUrl url) {
    return (PGSimpleDataSource) url.source();
  }

  @Test
  void an_address_names_server_database_role_and_schema() {
    PostgresUrl url =
        PostgresUrl.parse("postgresql://eve:p%40ss@db.example:5433/shop?schema=flows&ssl=false");

    assertThat(source(url).getServerNames()).containsExactly("db.example");
    assertThat(source(url).getPortNumbers()).containsExactly(5433);
    assertThat(source(url).getDatabaseName()).isEqualTo("shop");
    assertThat(source(url).getUser()).isEqualTo("eve");
    assertThat(source(url).getPassword()).isEqualTo("p@ss");
    assertThat(url.options().schema()).isEqualTo("flows");
    assertThat(url).hasToString("postgresql://db.example:5433/shop");
  }

  @Test
  void port_and_schema_have_defaults() {
    PostgresUrl url = PostgresUrl.parse("postgresql://localhost/shop");

    assertThat(source(url).getPortNumbers()).containsExactly(5432);
    assertThat(url.options().schema()).isEqualTo("damask");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "postgresql://",
        "postgresql://localhost",
        "postgresql:///shop",
        "postgresql://localhost/shop?schema=Bad-Name",
        "postgresql://localhost/shop?nonsense",
        "postgresql://localhost:x/shop",
        "postgresql://eve:secret@local host/shop"
      })
  void a_malformed_address_is_refused_without_showing_a_password(String text) {
    assertThatThrownBy(() -> PostgresUrl.parse(text))
        .isInstanceOf(StoreException.class)
        .hasMessageNotContaining("secret");
  }

  @Test
  void a_directory_is_not_an_address() {
    assertThat(PostgresUrl.isUrl("postgresql://x/y")).isTrue();
    assertThat(PostgresUrl.isUrl("postgres://x/y")).isTrue();
    assertThat(PostgresUrl.isUrl("postgresql")).isFalse();
    assertThat(PostgresUrl.isUrl("/var/lib/damask")).isFalse();
  }
}
