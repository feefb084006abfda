package dev.damask.database;

import dev.damask.database.SqlScanner.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Reads statements.
final class SqlParser extends ExpressionParser {
  /// Names that end an alias that could be there.
  private static final Set<String> NO_ALIAS =
      Set.of(
          "from",
          "where",
          "join",
          "left",
          "on",
          "set",
          "using",
          "order",
          "limit",
          "union",
          "returning",
          "values",
          "select",
          "group",
          "as",
          "inner");

  private SqlParser(String text) {
    super(SqlScanner.scan(text));
  }

  /// Reads statements that are separated by semicolons.
  static List<Sql> parse(String text) {
    SqlParser parser = new SqlParser(text);
    List<Sql> statements = new ArrayList<>();
    while (!parser.isEnd()) {
      if (!parser.skips(";")) {
        statements.add(parser.statement());
        if (!parser.isEnd()) {
          parser.expect(";");
        }
      }
    }
    return statements;
  }

  private Sql statement() {
    List<Sql.Common> commons = is("with") ? commons() : List.of();
    return switch (peek().text()) {
      case "select", "values" -> {
        Sql.Select query = select();
        query.commons.addAll(commons);
        yield query;
      }
      case "insert" -> insert(commons);
      case "update" -> update(commons);
      case "delete" -> delete(commons);
      case "create" -> create();
      case "alter" -> alter();
      default -> plain();
    };
  }

  private List<Sql.Common> commons() {
    expect("with");
    List<Sql.Common> commons = new ArrayList<>();
    do {
      String name = name();
      expect("as");
      skips("materialized");
      expect("(");
      commons.add(new Sql.Common(name, statement()));
      expect(")");
    } while (skips(","));
    return commons;
  }

  /// Skips a statement that has no meaning here; keeps its words.
  private Sql plain() {
    String word = next().text();
    StringBuilder rest = new StringBuilder();
    while (!isEnd() && !is(";")) {
      rest.append(rest.isEmpty() ? "" : " ").append(next().text());
    }
    return new Sql.Plain(word, rest.toString());
  }

  private Sql create() {
    if (!peek(1).is("table")) {
      return plain();
    }
    expect("create", "table");
    String table = tableName();
    List<String> columns = new ArrayList<>();
    List<String> key = new ArrayList<>();
    Map<String, Expr> defaults = new HashMap<>();
    expect("(");
    do {
      if (skips("primary", "key")) {
        key.addAll(names());
      } else {
        String column = name();
        columns.add(column);
        type();
        constraints(column, key, defaults);
      }
    } while (skips(","));
    expect(")");
    while (!isEnd() && !is(";")) {
      next(); // storage parameters
    }
    return new Sql.CreateTable(table, columns, key, defaults);
  }

  private void constraints(String column, List<String> key, Map<String, Expr> defaults) {
    while (!is(",") && !is(")")) {
      if (skips("primary", "key")) {
        key.add(column);
      } else if (skips("default")) {
        defaults.put(column, expression());
      } else if (skips("generated", "always", "as", "identity")) {
        defaults.put(column, Sql.IDENTITY);
      } else if (skips("check")) {
        expect("(");
        expression();
        expect(")");
      } else {
        next(); // not null, unique
      }
    }
  }

  private Sql alter() {
    expect("alter", "table");
    String table = tableName();
    expect("add", "column");
    String column = name();
    type();
    Map<String, Expr> defaults = new HashMap<>();
    while (!isEnd() && !is(";")) {
      if (skips("default")) {
        defaults.put(column, expression());
      } else {
        next();
      }
    }
    return new Sql.AddColumn(table, column, defaults.get(column));
  }

  private String tableName() {
    String name = name();
    while (skips(".")) {
      name = name + "." + name();
    }
    return name.intern();
  }

  private List<String> names() {
    expect("(");
    List<String> names = new ArrayList<>();
    do {
      names.add(name());
    } while (skips(","));
    expect(")");
    return names;
  }

  @Override
  Sql.Select select() {
    Sql.Select query = is("values") ? values() : simpleSelect();
    while (skips("union")) {
      boolean isAll = skips("all");
      query.unions.add(new Sql.Union(isAll, simpleSelect()));
    }
    if (skips("order", "by")) {
      do {
        Expr value = expression();
        boolean isDescending = skips("desc");
        query.orders.add(new Sql.Order(value, isDescending));
      } while (skips(","));
    }
    if (skips("limit")) {
      query.limit = expression();
    }
    return query;
  }

  private Sql.Select values() {
    expect("values");
    Sql.Select first = null;
    do {
      expect("(");
      Sql.Select row = new Sql.Select();
      do {
        row.items.add(new Sql.Item(expression(), "column"));
      } while (skips(","));
      expect(")");
      if (first == null) {
        first = row;
      } else {
        first.unions.add(new Sql.Union(true, row));
      }
    } while (skips(","));
    return first;
  }

  private Sql.Select simpleSelect() {
    expect("select");
    Sql.Select query = new Sql.Select();
    query.isDistinct = skips("distinct");
    do {
      query.items.add(item());
    } while (skips(","));
    if (skips("from")) {
      sources(query);
    }
    if (skips("where")) {
      query.where = expression();
    }
    return query;
  }

  private Sql.Item item() {
    if (skips("*")) {
      return new Sql.Item(null, "*");
    }
    Expr value = expression();
    String name = value instanceof Expr.Column column ? column.name : "column";
    if (skips("as")) {
      name = name();
    }
    return new Sql.Item(value, name);
  }

  private List<Sql.Item> returning() {
    List<Sql.Item> items = new ArrayList<>();
    if (skips("returning")) {
      do {
        items.add(item());
      } while (skips(","));
    }
    return items;
  }

  private void sources(Sql.Select query) {
    query.sources.add(source());
    while (true) {
      if (skips(",")) {
        query.sources.add(source());
      } else if (is("join") || is("left") || is("inner")) {
        boolean isLeft = skips("left");
        skips("outer");
        skips("inner");
        expect("join");
        Sql.Source source = source();
        expect("on");
        query.sources.add(source.joined(isLeft, expression()));
      } else {
        return;
      }
    }
  }

  private Sql.Source source() {
    if (skips("(")) {
      Sql.Select inner = select();
      expect(")");
      return aliased("", "", List.of(), inner);
    }
    String table = tableName();
    if (skips("(")) {
      List<Expr> arguments = new ArrayList<>();
      do {
        arguments.add(expression());
      } while (skips(","));
      expect(")");
      return aliased("", table, arguments, null);
    }
    return aliased(table, "", List.of(), null);
  }

  private Sql.Source aliased(
      String table, String function, List<Expr> arguments, Sql.@Nullable Select query) {
    String alias = table.isEmpty() ? function : alias(table);
    List<String> columns = List.of();
    boolean isNamed = skips("as");
    if (isNamed || (peek().kind() == Kind.NAME && !NO_ALIAS.contains(peek().text()))) {
      alias = name();
      if (is("(")) {
        columns = names();
      }
    }
    if (columns.isEmpty() && !function.isEmpty()) {
      columns = List.of(alias);
    }
    return new Sql.Source(table, function, arguments, query, alias, columns, false, null);
  }

  private static String alias(String table) {
    return table.substring(table.lastIndexOf('.') + 1).intern();
  }

  private Sql insert(List<Sql.Common> commons) {
    expect("insert", "into");
    String table = tableName();
    String alias = skips("as") ? name() : alias(table);
    List<String> columns = names();
    Sql.Select rows = select();
    Sql.Conflict conflict = null;
    if (skips("on", "conflict")) {
      if (is("(")) {
        names();
      }
      expect("do");
      if (skips("nothing")) {
        conflict = new Sql.Conflict(List.of(), null);
      } else {
        expect("update", "set");
        List<Sql.Assignment> assignments = assignments();
        conflict = new Sql.Conflict(assignments, skips("where") ? expression() : null);
      }
    }
    return new Sql.Insert(commons, table, alias, columns, rows, conflict, returning());
  }

  private List<Sql.Assignment> assignments() {
    List<Sql.Assignment> assignments = new ArrayList<>();
    do {
      String column = name();
      expect("=");
      assignments.add(new Sql.Assignment(column, expression()));
    } while (skips(","));
    return assignments;
  }

  private Sql update(List<Sql.Common> commons) {
    expect("update");
    Sql.Source target = source();
    expect("set");
    List<Sql.Assignment> assignments = assignments();
    Sql.Target rows = target(target, "from");
    return new Sql.Update(commons, rows, assignments, returning());
  }

  private Sql delete(List<Sql.Common> commons) {
    expect("delete", "from");
    Sql.Source target = source();
    return new Sql.Delete(commons, target(target, "using"), returning());
  }

  private Sql.Target target(Sql.Source target, String word) {
    Sql.Select query = new Sql.Select();
    if (skips(word)) {
      sources(query);
    }
    query.sources.add(target);
    if (skips("where")) {
      query.where = expression();
    }
    return new Sql.Target(target.table(), target.alias(), query);
  }
}
