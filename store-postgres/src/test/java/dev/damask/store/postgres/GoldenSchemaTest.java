package dev.damask.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The schema of each version stays as it was released: a script is never changed, and an upgrade
/// from any version makes the schema that `init` makes.
@Timeout(60)
final class GoldenSchemaTest {
  /// The scripts in their order, each the beginning of its SHA-256.
  private static final List<String> SCRIPTS =
      List.of(
          "d42d42c63d00e496",
          "cbf4931fdbbd5f0b",
          "8e75b8615bf47a0e",
          "3c99881fe9567a96",
          "238a573343e4045a");

  /// Tables, views, columns, indexes and functions.
  private static final String LISTING =
      """
      select line from (
        select c.table_name || '.' || c.column_name || ' ' || c.udt_name
            || case c.is_nullable when 'NO' then ' not null' else '' end as line
          from information_schema.columns c where c.table_schema = 'SCHEMA'
        union all
        select 'index ' || replace(replace(i.indexdef, 'CREATE ', ''), 'SCHEMA.', '')
          from pg_indexes i where i.schemaname = 'SCHEMA'
        union all
        select 'function ' || p.proname || '(' || pg_get_function_arguments(p.oid) || ')'
          from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname = 'SCHEMA'
      ) as all_lines order by line collate "C"
      """;

  private static List<String> listing(PostgresOptions options) {
    return TestServer.query(LISTING.replace("SCHEMA", options.schema()));
  }

  private static List<String> golden() throws IOException {
    try (InputStream in = GoldenSchemaTest.class.getResourceAsStream("/golden/schema.txt")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .toList();
    }
  }

  @Test
  void released_scripts_are_never_changed() throws Exception {
    List<String> sums = new ArrayList<>();
    for (String script : PostgresSchema.shipped()) {
      byte[] sum =
          MessageDigest.getInstance("SHA-256").digest(script.getBytes(StandardCharsets.UTF_8));
      sums.add(HexFormat.of().formatHex(sum, 0, 8));
    }

    assertThat(sums).isEqualTo(SCRIPTS);
  }

  @Test
  void init_makes_the_schema_of_this_version() throws IOException {
    assertThat(listing(TestServer.schema())).isEqualTo(golden());
  }

  @Test
  void an_upgrade_from_any_version_makes_the_same_schema() throws IOException {
    List<String> scripts = PostgresSchema.shipped();
    for (int version = 1; version < scripts.size(); version++) {
      PostgresOptions options = TestServer.newSchema();
      List<String> older = scripts.subList(0, version);
      new PostgresSchema(
              TestServer.source(),
              options,
              older,
              () -> new SecureRandom().nextInt(1, Integer.MAX_VALUE))
          .init();

      assertThat(new PostgresSchema(TestServer.source(), options).upgrade()).isTrue();

      assertThat(listing(options)).as("from version " + version).isEqualTo(golden());
    }
  }
}
