package dev.damask.house;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.lang.model.element.Modifier;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;

/// Every public type and every public method that users see has a doc comment. Constructors, enum
/// constants, accessors of records and methods that override another one need none. The simulator
/// exports packages to our own tests only.
final class DocCommentsTest {
  private static final String DESCRIPTOR = "/src/main/java/module-info.java";
  private static final Pattern EXPORTED = Pattern.compile("(?m)^ *exports ([\\w.]+);");

  @Test
  void every_public_type_and_method_of_an_exported_package_has_a_doc_comment() {
    Set<String> modules = new TreeSet<>();
    Set<String> packages = new TreeSet<>();
    for (Path file : Repository.java()) {
      String name = Repository.name(file);
      if (name.endsWith(DESCRIPTOR)) {
        Matcher exports = EXPORTED.matcher(Repository.read(file));
        String module = name.substring(0, name.length() - DESCRIPTOR.length());
        while (exports.find() && !module.equals("simulator")) {
          modules.add(module);
          packages.add(module + "/src/main/java/" + exports.group(1).replace('.', '/'));
        }
      }
    }
    List<JavaFileObject> sources = new ArrayList<>();
    for (Path file : Repository.java()) {
      if (packages.contains(Repository.name(file.getParent()))) {
        sources.add(new Source(Repository.name(file), Repository.read(file)));
      }
    }

    assertThat(undocumented(sources)).isEmpty();
    assertThat(modules)
        .contains("nursery", "kernel", "json", "engine", "typed", "effects-http", "document")
        .contains("scenario", "testkit", "verify", "store-rocksdb", "store-postgres", "server")
        .contains("orchestration", "drawing", "inspector", "micrometer", "spring-boot-starter");
  }

  @Test
  void what_lacks_a_doc_comment_is_noticed() {
    String text =
        """
        /// A type.
        public interface Shape {
          double area();

          record Square(double side) implements Shape {
            public Square {}

            public double side() {
              return side;
            }

            @Override
            public double area() {
              return side * side;
            }

            public static Square unit() {
              return new Square(1);
            }

            double hidden() {
              return side;
            }
          }
        }
        """;

    assertThat(undocumented(List.of(new Source("Shape.java", text))))
        .containsExactly("Shape.java: area()", "Shape.java: Square", "Shape.java: unit()");
  }

  /// A source in memory.
  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    Source(String name, String text) {
      super(URI.create("string:///" + name), Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }

  private static List<String> undocumented(List<JavaFileObject> sources) {
    JavacTask task =
        (JavacTask)
            ToolProvider.getSystemJavaCompiler()
                .getTask(null, null, _ -> {}, List.of("-proc:none"), null, sources);
    DocTrees trees = DocTrees.instance(task);
    List<String> found = new ArrayList<>();
    try {
      for (CompilationUnitTree unit : task.parse()) {
        for (Tree type : unit.getTypeDecls()) {
          if (type instanceof ClassTree declared && isPublic(declared)) {
            String name = unit.getSourceFile().getName().replaceFirst("^/", "");
            collect(trees, new TreePath(new TreePath(unit), declared), name + ": ", found);
          }
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return found;
  }

  private static boolean isPublic(ClassTree type) {
    return type.getModifiers().getFlags().contains(Modifier.PUBLIC);
  }

  private static void collect(DocTrees trees, TreePath path, String file, List<String> found) {
    ClassTree type = (ClassTree) path.getLeaf();
    if (trees.getDocComment(path) == null) {
      found.add(file + type.getSimpleName());
    }
    boolean isInterface = type.getKind() == Tree.Kind.INTERFACE;
    Set<String> components = components(type);
    for (Tree member : type.getMembers()) {
      TreePath at = new TreePath(path, member);
      switch (member) {
        case ClassTree nested -> {
          if (isInterface || isPublic(nested)) {
            collect(trees, at, file, found);
          }
        }
        case MethodTree method -> {
          boolean isPublic = method.getModifiers().getFlags().contains(Modifier.PUBLIC);
          boolean isPrivate = method.getModifiers().getFlags().contains(Modifier.PRIVATE);
          if ((isPublic || (isInterface && !isPrivate))
              && !isExempt(method, components)
              && trees.getDocComment(at) == null) {
            found.add(file + method.getName() + "()");
          }
        }
        default -> {}
      }
    }
  }

  private static boolean isExempt(MethodTree method, Set<String> components) {
    boolean isAccessor =
        method.getParameters().isEmpty() && components.contains(method.getName().toString());
    boolean overrides =
        method.getModifiers().getAnnotations().stream()
            .anyMatch(each -> each.getAnnotationType().toString().equals("Override"));
    return isAccessor || overrides || method.getReturnType() == null;
  }

  private static Set<String> components(ClassTree type) {
    Set<String> names = new TreeSet<>();
    if (type.getKind() == Tree.Kind.RECORD) {
      for (Tree member : type.getMembers()) {
        if (member instanceof VariableTree field
            && !field.getModifiers().getFlags().contains(Modifier.STATIC)) {
          names.add(field.getName().toString());
        }
      }
    }
    return names;
  }
}
